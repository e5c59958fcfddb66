# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart and runtests: system packages and configure.

# Root's way to a command.
setup_as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

setup_install() {
    echo "Installing: $*"
    setup_as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# LLVM 19 is for `simtlab build` only: without it everything else is built.
setup_llvm() {
    command -v llvm-config-19 >/dev/null 2>&1 && return 0
    if setup_as_root apt-get update -qq && apt-cache show llvm-19-dev >/dev/null 2>&1 &&
        setup_install llvm-19-dev; then
        return 0
    fi
    echo "There is no llvm-19-dev to be had here: building without \`simtlab build\`."
    echo "With LLVM 19 from elsewhere: ./configure --with-llvm=/path/to/llvm-config"
}

# setup_packages [tests]: installs what is missing with the system's package
# manager. Knows Debian and Ubuntu; elsewhere it lists what is needed.
setup_packages() {
    local want="gcc make autoconf automake libtool pkg-config libjansson-dev libffi-dev libzstd-dev"
    if [ "${1:-}" = tests ]; then want="$want check"; fi
    local missing=()
    if ! command -v dpkg-query >/dev/null 2>&1; then
        echo "This system is not Debian or Ubuntu; please install the equivalents of:"
        echo "  $want, and llvm-19-dev for \`simtlab build\`"
        return 0
    fi
    local package
    for package in $want; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing+=("$package")
    done
    if [ ${#missing[@]} != 0 ]; then
        setup_as_root apt-get update -qq
        setup_install "${missing[@]}"
    fi
    setup_llvm
}

# setup_configure DIR [configure options]: a build directory, configured when it
# is new, or when the options or the installed libraries are others than then.
setup_configure() {
    local dir=$1 library state
    shift
    if [ ! -x configure ] || [ configure.ac -nt configure ]; then
        autoreconf -fi >/dev/null 2>&1 || autoreconf -fi
    fi
    state="options $*"
    for library in check jansson libffi libzstd; do
        state="$state
$library $(pkg-config --modversion "$library" 2>/dev/null || echo none)"
    done
    state="$state
llvm $(llvm-config-19 --version 2>/dev/null || echo none)"
    mkdir -p "$dir"
    if [ ! -f "$dir/Makefile" ] || [ "$(cat "$dir/setup.state" 2>/dev/null)" != "$state" ]; then
        (cd "$dir" && ../configure -q "$@")
        echo "$state" >"$dir/setup.state"
    fi
}
