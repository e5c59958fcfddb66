/* SPDX-License-Identifier: Apache-2.0
 *
 * check_demangle.c - C++ names. The expected texts are c++filt's, with >> for
 * "> >". */
#include "tests/suite.h"

#include <string.h>

#include "api/demangle.h"
#include "base/text.h"

static const struct {
    const char *mangled, *full, *plain, *base, *letters;
} names[] = {
    {"_Z5saxpyPfPKffj", "saxpy(float*, float const*, float, unsigned int)", "saxpy", "saxpy",
     "PPfj"},
    {"_Z1kv", "k()", "k", "k", ""},
    {"_ZN2ns1kEPfS0_", "ns::k(float*, float*)", "ns::k", "k", "PP"},
    {"_Z1kIfEvPT_i", "void k<float>(float*, int)", "k", "k", "Pi"},
    {"_ZN2ns5inner1kILi16ELb1EEEvPd", "void ns::inner::k<16, true>(double*)", "ns::inner::k",
     "k", "P"},
    {"_ZN12_GLOBAL__N_11kEi", "(anonymous namespace)::k(int)", "(anonymous namespace)::k", "k",
     "i"},
    {"_Z9matrixMulILi16EmEvPfS0_S0_T0_S1_",
     "void matrixMul<16, unsigned long>(float*, float*, float*, unsigned long, unsigned long)",
     "matrixMul", "matrixMul", "PPPmm"},
    {"_Z1kP6float4S0_", "k(float4*, float4*)", "k", "k", "PP"},
    {"_Z1kIJfiEEvDpT_", "void k<float, int>(float, int)", "k", "k", "fi"},
    {"_Z1kN3foo3barE", "k(foo::bar)", "k", "k", "?"},
    {"_Z4initI17curandStateXORWOWEvPT_j",
     "void init<curandStateXORWOW>(curandStateXORWOW*, unsigned int)", "init", "init", "Pj"},
    {"_Z1kRVKi", "k(int const volatile&)", "k", "k", "P"},
    /* Functions, arrays, members, packs, expressions and lambdas; c++filt leaves the comma of an
     * empty pack. */
    {"_Z11SobelSharedP6uchar4PFhhfE",
     "SobelShared(uchar4*, unsigned char (*)(unsigned char, float))",
     "SobelShared", "SobelShared", "PP"},
    {"_Z1kRA5_i",
     "k(int (&) [5])",
     "k", "k", "P"},
    {"_Z1kM1CFivE",
     "k(int (C::*)())",
     "k", "k", "?"},
    {"_Z1kPKPFivE",
     "k(int (* const*)())",
     "k", "k", "P"},
    {"_Z1kPA2_A3_i",
     "k(int (*) [2][3])",
     "k", "k", "P"},
    {"_Z1kIJifEEvDpRKT_f",
     "void k<int, float>(int const&, float const&, float)",
     "k", "k", "PPf"},
    {"_Z1kIJEEvDpT_f",
     "void k<>(float)",
     "k", "k", "f"},
    {"_Z1kIiJLi1ELi2EEEvT_",
     "void k<int, 1, 2>(int)",
     "k", "k", "i"},
    {"_Z1kI18curandStateSobol32A32_jEvPT_PT0_j",
     "void k<curandStateSobol32, unsigned int [32]>(curandStateSobol32*, unsigned int (*) "
     "[32], unsigned int)",
     "k", "k", "PPj"},
    {"_Z1kIRiEvOT_",
     "void k<int&>(int&)",
     "k", "k", "P"},
    {"_Z1kIXadL_Z3barIiEvT_EEEvPf",
     "void k<&(void bar<int>(int))>(float*)",
     "k", "k", "P"},
    {"_Z1kIXadL_ZN2ns3barEPKviEEEvf",
     "void k<&ns::bar>(float)",
     "k", "k", "f"},
    {"_Z1kIXplLi1ELi2EEEvv",
     "void k<(1)+(2)>()",
     "k", "k", ""},
    {"_Z1kIXgtLi1ELi2EEEvv",
     "void k<((1)>(2))>()",
     "k", "k", ""},
    {"_Z1kIXntLb1EEEvv",
     "void k<!(true)>()",
     "k", "k", ""},
    {"_Z1kI1AIXstiEEEvv",
     "void k<A<sizeof (int)>>()",
     "k", "k", ""},
    {"_Z1kILf3f800000EEvf",
     "void k<(float)[3f800000]>(float)",
     "k", "k", "f"},
    {"_Z1kIL1E3EEvv",
     "void k<(E)3>()",
     "k", "k", ""},
    {"_Z1kIXcvbLi3EEEvv",
     "void k<(bool)(3)>()",
     "k", "k", ""},
    {"_Z1kIXquLb1ELi1ELi2EEEvv",
     "void k<(true)?(1) : (2)>()",
     "k", "k", ""},
    {"_Z1kIDTplL_Z1aEL_Z1bEEEvv",
     "void k<decltype (a+b)>()",
     "k", "k", ""},
    {"_Z1kIZ4mainEUlfE0_EvT_i",
     "void k<main::{lambda(float)#2}>(main::{lambda(float)#2}, int)",
     "k", "k", "?i"},
    {"_Z1kIZ1gIiEvT_EUlS1_E_EvS1_",
     "void k<g<int>(int)::{lambda(auto:1)#1}>(g<int>(int)::{lambda(auto:1)#1})",
     "k", "k", "?"},
    {"_Z1kIZ1gIiEvT_EUlDpOT_E_Evf",
     "void k<g<int>(int)::{lambda((auto:1&&)...)#1}>(float)",
     "k", "k", "f"},
    {"_Z1kIiENSt9enable_ifIXsr3std11is_integralIT_EE5valueEvE4typeES2_",
     "std::enable_if<std::is_integral<int>::value, void>::type "
     "k<int>(std::enable_if<std::is_integral<int>::value, void>)",
     "k", "k", "?"},
    {"_Z1kIfLb1EEvPT_PK13__nv_bfloat16iSt17integral_constantIbXT0_EE",
     "void k<float, true>(float*, __nv_bfloat16 const*, int, std::integral_constant<bool, true>)",
     "k", "k", "PPi?"},
    {"_ZN2ns1AIfE1kIiEEvT_",
     "void ns::A<float>::k<int>(int)",
     "ns::A<float>::k", "k", "i"},
    {"_ZNK1AclEi",
     "A::operator()(int) const",
     "A::operator()", "operator()", "i"},
    {"_Z1kIJ6float4S0_EEvRNSt13tuple_elementIXsZT_ESt5tupleIJDpT_EEE4typeERS5_",
     "void k<float4, float4>(std::tuple_element<2, std::tuple<float4, float4>>::type&, "
     "std::tuple<float4, float4>&)",
     "k", "k", "PP"},
    /* What is not understood leaves the mangled name, but keeps the parts. */
    {"_Z1kPFPFivEfE", "_Z1kPFPFivEfE", "k", "k", NULL},
};

START_TEST(reads)
{
    struct arena arena = {0};
    struct cxx_name name;

    ck_assert(cxx_demangle(&arena, names[_i].mangled, &name));
    ck_assert_str_eq(name.full, names[_i].full);
    ck_assert_str_eq(name.plain, names[_i].plain);
    ck_assert_str_eq(name.base, names[_i].base);
    if (names[_i].letters)
        ck_assert_str_eq(name.letters, names[_i].letters);
    else
        ck_assert_ptr_null(name.letters);
    arena_free(&arena);
}
END_TEST

static const char *const others[] = {"", "k", "_Z", "_Z0k", "_Z99k", "_ZN", "_ZNE", "_ZN1kE",
                                     "_Z1k", "_ZS_v", "_ZN1kISt", "_Z999999999999999999999k",
                                     "_Z2Ei1\5woo"};

START_TEST(leaves_alone)
{
    struct arena arena = {0};
    struct cxx_name name;

    ck_assert(!cxx_demangle(&arena, others[_i], &name));
    arena_free(&arena);
}
END_TEST

/* Doubling substitutions and deep nesting end, and soon. */
START_TEST(hostile_names)
{
    struct arena arena = {0};
    struct cxx_name name;
    struct text bomb = {0};

    text_puts(&bomb, "_Z1kI1aIiiE");
    for (int i = 0; i < 200; i++)
        text_puts(&bomb, "S_IS0_S0_E1aIS_S1_E");
    text_puts(&bomb, "EvT_");
    cxx_demangle(&arena, text_string(&bomb), &name);
    text_free(&bomb);
    text_puts(&bomb, "_Z1k");
    for (int i = 0; i < 100000; i++)
        text_puts(&bomb, "P");
    text_puts(&bomb, "i");
    ck_assert(cxx_demangle(&arena, text_string(&bomb), &name));
    ck_assert_str_eq(name.base, "k");
    text_free(&bomb);
    arena_free(&arena);
}
END_TEST

START_TEST(cut_anywhere)
{
    struct arena arena = {0};
    struct cxx_name name;

    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t size = 0; size < strlen(names[n].mangled); size++)
            cxx_demangle(&arena, arena_copy(&arena, names[n].mangled, size), &name);
    arena_free(&arena);
}
END_TEST

START_TEST(same_but_for_blanks)
{
    ck_assert(cxx_same("k<a<b> >(float const *, int)", "k<a<b>>(float const*,int)"));
    ck_assert(!cxx_same("k(int)", "k(int*)"));
    ck_assert(!cxx_same("k", "kk"));
}
END_TEST

SUITE("demangle", {
    LOOP_TEST(reads, 0, (int)(sizeof names / sizeof *names));
    LOOP_TEST(leaves_alone, 0, (int)(sizeof others / sizeof *others));
    TEST(hostile_names);
    TEST(cut_anywhere);
    TEST(same_but_for_blanks);
})
