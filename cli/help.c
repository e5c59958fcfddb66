/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c - what --help says. Every example here runs in the project's folder. */
#include "cli/cli.h"

#include <string.h>

static const char overview[] =
    "simtlab COMMAND FILE [KERNEL] [options] [ARG...]\n"
    "\n"
    "Runs GPU kernels on the CPU exactly as a GPU may run them, and says where they\n"
    "are wrong. FILE is PTX (.ptx), the kernel IR (.kir), or - for\n"
    "standard input.\n"
    "\n"
    "  run       execute a launch; memory faults, traps, deadlocks and endless loops\n"
    "            are always caught\n"
    "  check     execute with the checkers: memory, init, race, sync\n"
    "  show      list kernels with parameters and resources; print their IR or graph\n"
    "  litmus    memory-model lab: every outcome of a litmus test, allowed or forbidden\n"
    "            and why\n"
    "  conform   recorded launches of real GPUs against the emulator\n"
    "  diff      a case and its recording, two kernels or two executors: the first\n"
    "            difference, who wrote it, how far apart\n"
    "  build     write PTX for a target, or LLVM IR, from what was read\n"
    "  devices   the chip profiles that can be emulated, and the GPUs of this machine\n"
    "\n"
    "`simtlab COMMAND --help` explains one with examples, `simtlab --version` tells the\n"
    "version. A first run:\n"
    "\n"
    "  simtlab run examples/saxpy.ptx -g 4 -b 256 f32[1000]=1 f32[1000]=iota 2 1000 -p 0:8\n"
    "\n"
    "Exit status: 0 ran and clean, 1 findings, 2 could not run.\n";

#define ARGUMENTS                                                                    \
    "ARG, one for each kernel parameter, in order; its type comes from the parameter:\n" \
    "  42, -1, 2.5, 0x10      a scalar; an error if it does not fit\n"               \
    "  f16:1.5                a scalar whose type the kernel text does not tell\n"   \
    "  f32[1024]              a fresh buffer, uninitialised; u8 s8 u16 s16 u32 s32\n" \
    "                         u64 s64 f16 bf16 f32 f64\n"                            \
    "  f32[1024]=0            all elements the same; =iota: 0, 1, 2, ...\n"          \
    "  f32[1024]=rand:7       random, the same for the same seed everywhere\n"       \
    "  u32[3]=1,2,3           one by one\n"                                          \
    "  @x.npy, @raw.bin       a buffer from a file\n"                                \
    "  hex:0102ff             the bytes of a by-value struct\n"                      \
    "  '{f32[64]=0; u32:7}'   a by-value struct: pointers, scalars with their type,\n" \
    "                         hex: and structs, aligned as C does; -p 0.1 is a member\n" \
    "  '*{f32[64]; f32[64]}'  a pointer to memory that holds one\n"                   \
    "  '&0', '&0+64'          the buffer of an argument before, or so many bytes into it\n" \
    "  null                   the null pointer\n"                                    \
    "  tex2d:u8x4[64x64],float,srgb,mipmap,miplinear,normalized; levels:3 seamless\n" \
    "                         color:R:G:B:A mippoint bias:X lod:MIN:MAX anisotropy:N\n" \
    "                         fulltrilinear, and so on\n"                            \
    "  tex2d:f32[64x32],linear,clamp,normalized=rand:1\n"                            \
    "                         a texture object; surf2d:u8x4[64x32] a surface object\n" \
    "                         (1d 2d 3d 1dlayered 2dlayered cube cubelayered buffer\n" \
    "                         pitch; point linear wrap clamp mirror border float)\n" \
    "  tensor:f16[64x32],box:64x8,swizzle:128=iota\n" \
    "                         a tensor and the tensor map of it, for a parameter of\n" \
    "                         128 bytes or a pointer; steps strides nan interleave\n" \
    "                         lower upper channels pixels (docs/running.md)\n"

#define LAUNCH_OPTIONS                                                               \
    "Options, before, between or after the arguments; -- ends them:\n"               \
    "  -g, --grid X[,Y[,Z]]   blocks of the grid, 1 when not given\n"                \
    "  -b, --block X[,Y[,Z]]  threads of a block, 1 when not given\n"                \
    "  -s, --shared BYTES     dynamic shared memory\n"                               \
    "  --cluster X[,Y[,Z]]    blocks of a cluster\n"                                 \
    "  --cooperative          a cooperative launch: grid-wide barriers work\n"       \
    "  --on EXECUTOR          emu, or cuda:0 and so on: a GPU of this machine\n"     \
    "  -p, --print N[:COUNT]  print argument N (from 0) after the run\n"             \
    "  -o, --output N=FILE    write argument N to FILE: .npy, or else raw bytes\n"   \
    "  --json FILE            write the report for machines, - for standard output\n" \
    "  --sarif FILE           the same as SARIF, for code review; --junit FILE: as JUnit\n" \
    "  --target PROFILE       the chip, see `simtlab devices`; sm_90 when not given\n" \
    "  --seed N               another legal schedule; 0 is the default one\n"        \
    "  --weak                 loads may return older values, as the memory model\n"  \
    "                         allows; the seed chooses which\n"                      \
    "  --explore N            N schedules: what any of them finds, and all the contents\n" \
    "                         that the buffers of -p and -o end up with\n"             \
    "  --replay N[:CHOICES]   schedule N of those again, or its first choices only\n"  \
    "  --threads N            host threads; no result depends on it\n"               \
    "  --max-steps N          warp instructions before a launch counts as endless\n" \
    "  --timeout SECONDS      for a launch on a GPU; as long as it takes when not given\n" \
    "  --stack-size BYTES     local stack of a thread, 1024 when not given\n"        \
    "  --heap-size BYTES      memory for malloc in kernels, 8 MiB when not given\n"  \
    "  --output-limit BYTES   text that kernels may print, 1 MiB when not given\n"   \
    "  --print-limit N        findings to show, 100 when not given, 0 for all\n"      \
    "  --suppressions FILE    findings that are known, with reasons\n"               \
    "  --kernel-name NAME     the kernel: kne=NAME, or kns=PART of its name\n"        \
    "  --error-exitcode N     exit status for findings, 1 when not given\n"           \
    "  --launch-skip N        launches that run unchecked before; the command has one\n" \
    "  --launch-count N       launches to check after those, 0 for all\n"             \
    "  --set NAME=CONTENTS    a __constant__ or __device__ variable: f32[3]=1,2,3, u32:7,\n" \
    "                         @x.npy, {...}; -p NAME and -o NAME=FILE show one\n"         \
    "  --texture NAME=TEXTURE what the .texref or .surfref NAME is bound to\n"        \
    "  --bind LIBRARY         host functions for .extern .func, may be repeated\n"   \
    "  --strict               warnings are errors, and notes make the exit status 1 too\n"

static const char run[] =
    "simtlab run FILE [KERNEL] [options] [ARG...]\n"
    "\n"
    "Executes one launch. KERNEL may be left out when the file holds one; C++ names\n"
    "are accepted mangled, demangled, or by base name. Memory faults, traps,\n"
    "deadlocks and endless loops are always caught.\n"
    "\n" ARGUMENTS "\n" LAUNCH_OPTIONS
    "  --shadow f32|f64       beside the run, what it gives in that wider format: the error\n"
    "                         of each output, the first result that is off by more than\n"
    "  --shadow-threshold R   this relative error, 0.01 when not given\n"
    "\n"
    "Examples:\n"
    "  simtlab run examples/saxpy.ptx -g 4 -b 256 f32[1000]=1 f32[1000]=iota 2 1000 -p 0:8\n"
    "  simtlab run examples/reduce.ptx -g 4 -b 128 u32[1]=0 u32[10000]=iota 10000 -p 0\n"
    "  simtlab run k.ptx 'ns::k<float>' -b 32 f32[32]=rand:1 -o 0=out.npy --json report.json\n"
    "  simtlab run k.ptx -b 32 -- u32[32]=0 -1\n"
    "\n"
    "Exit status: 0 ran and clean, 1 findings, 2 could not run.\n";

static const char check[] =
    "simtlab check FILE [KERNEL] [options] [ARG...]\n"
    "\n"
    "Executes one launch with the checkers on:\n"
    "  memory    out of bounds, misaligned, null, freed, wrong space, read-only\n"
    "  init      uninitialised bits that decide something\n"
    "  race      conflicting accesses that the memory model does not order\n"
    "  sync      divergent barriers, bad member masks, deadlock\n"
    "\n"
    "  --only LIST            only these, such as --only memory or --only race,sync\n"
    "\n"
    "KERNEL and ARG are as for `simtlab run`, see `simtlab run --help`.\n"
    "\n" LAUNCH_OPTIONS
    "\n"
    "Example:\n"
    "  simtlab check examples/race.ptx -b 64 u32[1]=0\n"
    "\n"
    "Exit status: 0 ran and clean, 1 findings, 2 could not run.\n";

static const char show[] =
    "simtlab show FILE [KERNEL] [--ir | --cfg | --ptx | --llvm]\n"
    "\n"
    "Lists kernels with their parameters, shared and local memory and launch bounds.\n"
    "\n"
    "  --ir                   print the kernel IR; it can be run again as a .kir file\n"
    "  --cfg                  print the control-flow graph, for Graphviz\n"
    "  --ptx, --llvm          print what `simtlab build` writes, of the whole file\n"
    "\n"
    "Examples:\n"
    "  simtlab show examples/reduce.ptx\n"
    "  simtlab show examples/saxpy.ptx --ir > saxpy.kir\n"
    "  simtlab show examples/saxpy.ptx --cfg | dot -Tsvg > saxpy.svg\n"
    "\n"
    "Exit status: 0 shown, 2 could not be read.\n";

static const char devices[] =
    "simtlab devices [PROFILE] [--attributes]\n"
    "\n"
    "Lists the chip profiles: what --target accepts, and what each chip holds. A\n"
    "profile decides how many blocks run at once, how much shared memory there is,\n"
    "and which PTX is accepted. With a PROFILE: all its figures, and for each whether it\n"
    "was measured, is documented, or is extrapolated. Then the GPUs of this machine, if it\n"
    "has a CUDA driver; --attributes shows everything the driver tells about them.\n";

static const char conform[] =
    "simtlab conform FILE... [options]\n"
    "\n"
    "Runs recorded launches on the emulator and compares with what a real GPU answered:\n"
    "outputs and printed text bit for bit, faults by their kind. FILE is a recording\n"
    "(.rec), a job file (.job, with its recording beside it), or a folder with some in it\n"
    "or in folders in it.\n"
    "\n"
    "  --sources DIR          where the PTX files of a recording are; beside it\n"
    "  --known FILE           differences that are known, each with its reason; one that\n"
    "                         no longer differs is a failure\n"
    "  --only TEXT            only cases whose name holds this\n"
    "  --shard I/N            only every N-th case, from the I-th on\n"
    "  --json FILE            a report for machines; - for standard output\n"
    "  --junit FILE           the same for CI servers\n"
    "  --html FILE            the same as a page, with a plot for each output\n"
    "  --rebuild              with PTX as `simtlab build` writes it from theirs\n"
    "  --on cuda:0            a GPU of this machine instead of the emulator\n"
    "  --on emu,cuda:0        the emulator against the GPU, now: job files need no recording\n"
    "  --timeout SECONDS      for each case on a GPU; 20 when not given\n"
    "  --seed N, --max-steps N as for `simtlab run`\n"
    "\n"
    "Example:\n"
    "  simtlab conform conformance/recordings/h200-golden.rec --sources . --json -\n"
    "\n"
    "Exit status: 0 all passed or known, 1 some failed, 2 could not run.\n";

static const char diff[] =
    "simtlab diff FILE CASE [--sources DIR] [--with PTX] [--on EXECUTOR]\n"
    "simtlab diff A.rec B.rec\n"
    "simtlab diff PTX [KERNEL] [options] [ARG...] --with OTHER.ptx | --on A,B\n"
    "\n"
    "Compares bit for bit: a case with its recording (see `simtlab conform --help`), two\n"
    "recordings, two versions of a kernel, or two executors. Says the first element that\n"
    "differs, the thread and line that wrote it, how far floating-point results are apart,\n"
    "and, on the emulator, the first instruction that gave something else.\n"
    "\n"
    "  --with FILE            another version of the kernel, for the second side\n"
    "  --on A,B               where each side runs: emu, cuda:0, ...\n"
    "  --probe                find the instruction by probes put into the kernel, as for a\n"
    "                         GPU, which cannot be watched\n"
    "  --probe-job FILE.job   write the case with probes as a job to be recorded\n"
    "  --sources DIR          where the PTX files of a recording are; beside it\n"
    "  --timeout SECONDS      for each run on a GPU\n"
    "  --seed N, --max-steps N, and -g -b -s --cluster --cooperative --target\n"
    "  --stack-size --heap-size --kernel-name as for `simtlab run`\n"
    "\n"
    "Examples:\n"
    "  simtlab diff conformance/recordings/h200-facts.rec 'atomics adds' \\\n"
    "      --sources conformance/hardware\n"
    "  simtlab diff examples/saxpy.ptx -b 4 f32[4]=1 f32[4]=2 3 4 --with new.ptx\n"
    "  simtlab diff examples/saxpy.ptx -b 4 f32[4]=1 f32[4]=2 3 4 --on emu,cuda:0\n"
    "\n"
    "Exit status: 0 the same, 1 different, 2 could not run.\n";

static const char build[] =
    "simtlab build FILE [options]\n"
    "\n"
    "Writes the kernels of a file as PTX again: for an older or newer target, from the\n"
    "kernel IR, or to see what was understood. The result computes the same bits.\n"
    "\n"
    "  -o, --output FILE      where it goes; standard output when not given\n"
    "  --target sm_80         the .target; the lowest that all of it can have when not\n"
    "                         given, but sm_70 at least\n"
    "  --ptx-version 7.8      the .version; the lowest possible when not given\n"
    "  --emit llvm            LLVM IR for NVPTX instead of PTX\n"
    "\n"
    "What the target or version does not have is refused with its place.\n"
    "\n"
    "Examples:\n"
    "  simtlab build examples/saxpy.ptx\n"
    "  simtlab build examples/reduce.ptx --target sm_80 --ptx-version 7.8 -o k.ptx\n"
    "  simtlab build examples/saxpy.ptx --emit llvm\n"
    "\n"
    "Exit status: 0 written, 2 refused, or could not be read.\n";

void help_print(FILE *to, const char *command)
{
    static const struct {
        const char *name, *page;
    } pages[] = {{"run", run}, {"check", check}, {"show", show}, {"devices", devices},
                 {"conform", conform}, {"diff", diff}, {"build", build}};
    const char *page = overview;

    for (size_t i = 0; command && i < sizeof pages / sizeof *pages; i++)
        if (!strcmp(pages[i].name, command))
            page = pages[i].page;
    fputs(page, to);
}
