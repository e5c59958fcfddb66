# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart and runtests: system packages and configure.

# setup_packages [tests]: installs what is missing with the system's package
# manager. Knows Debian and Ubuntu; elsewhere it lists what is needed.
setup_packages() {
    local want="gcc make autoconf automake libtool pkg-config libjansson-dev libffi-dev libzstd-dev"
    if [ "${1:-}" = tests ]; then want="$want check"; fi
    local missing="" missing_llvm=""
    if ! command -v dpkg-query >/dev/null 2>&1; then
        echo "This system is not Debian or Ubuntu; please install the equivalents of:"
        echo "  $want"
        return 0
    fi
    local package
    for package in $want; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing="$missing $package"
    done
    # Code generation needs LLVM 19; everything else works without.
    command -v llvm-config-19 >/dev/null 2>&1 || missing_llvm=yes
    [ -n "$missing$missing_llvm" ] || return 0
    local sudo=""
    if [ "$(id -u)" != 0 ]; then sudo=sudo; fi
    $sudo apt-get update -qq
    if [ -n "$missing_llvm" ]; then
        if apt-cache show llvm-19-dev >/dev/null 2>&1; then
            missing="$missing llvm-19-dev"
        else
            echo "This system's packages have no llvm-19-dev: built without \`simtlab build\`."
            echo "With LLVM 19 from elsewhere: ./configure --with-llvm=/path/to/llvm-config"
        fi
    fi
    [ -n "$missing" ] || return 0
    echo "Installing:$missing"
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
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
