# Building for targets without an operating system, and installing what that needs. For scripts to source, under `set -euo pipefail`; they set
#
#   script      what messages begin with
#   target_dir  where cargo builds
#   build_std   the crates of the standard library to build where rustup has no target: core, or core,alloc
#
# and may set, for such a build,
#
#   build_std_features  of the standard library
#   build_std_flags     of the compiler
#
# A target installed by rustup is used as it is. Without it, Debian's rustc-web builds them from source. What is missing is installed where that
# may be done (as root, with apt), else named.

say() { echo "$script: $*" >&2; }
die() { say "$*"; exit 1; }

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_updated=
apt_install() {
    if [ -z "$apt_updated" ]; then apt-get update -qq >&2 || true; apt_updated=1; fi
    # --no-remove: never at the price of a package that is there.
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-remove --no-install-recommends "$@" >"$target_dir/apt.log" 2>&1
}

# need COMMAND PACKAGE
need() {
    command -v "$1" >/dev/null && return
    if may_install && apt_install "$2"; then return; fi
    die "no $1: install $2"
}

have_rustup_target() { command -v rustup >/dev/null && rustup target list --installed 2>/dev/null | grep -qx "$1"; }

# Debian's own compiler, whatever comes first in PATH, with the source of `core`.
have_debian_rust() {
    [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] && [ -e "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/core" ]
}

# find_linker COMMAND: the linker of rustup's stable toolchain, else one of LLVM's, by its command
linker=
find_linker() {
    [ -z "$linker" ] || return 0
    local command=$1 sysroot
    if command -v rustup >/dev/null && sysroot=$(rustup run stable rustc --print sysroot 2>/dev/null); then
        linker=$(find "$sysroot/lib/rustlib" -name rust-lld -type f -print -quit)
    fi
    [ -n "$linker" ] || linker=$(command -v rust-lld || command -v "$command" || true)
    if [ -z "$linker" ] && may_install && apt_install lld; then linker=$(command -v "$command" || true); fi
    [ -n "$linker" ] || die "no linker: install rustup's stable toolchain (it brings rust-lld) or lld"
}

# build TARGET CARGO_ARGUMENTS...
build() {
    local target=$1; shift
    if have_rustup_target "$target"; then
        cargo build --locked --target-dir "$target_dir" --target "$target" "$@"
        return
    fi
    if ! have_debian_rust; then
        if may_install; then
            say "installing rustc-web, cargo-web, rust-web-src"
            apt_install rustc-web cargo-web rust-web-src || die "apt-get failed: see $target_dir/apt.log"
        fi
        have_debian_rust || die "cannot build for $target. Either:  rustup target add $target
          or, on Debian:  apt-get install --no-install-recommends rustc-web cargo-web rust-web-src"
    fi
    case $target in wasm*) find_linker wasm-ld ;; *) find_linker ld.lld ;; esac
    local variable=${target//-/_}
    [ -z "${build_std_flags:-}" ] || local -x RUSTFLAGS="${RUSTFLAGS:-} $build_std_flags"
    env "CARGO_TARGET_${variable^^}_LINKER=$linker" \
        RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
        /usr/bin/cargo build --locked --target-dir "$target_dir" "-Zbuild-std=$build_std" \
        ${build_std_features:+"-Zbuild-std-features=$build_std_features"} --target "$target" "$@"
}

# compiler_version TARGET
compiler_version() {
    if have_rustup_target "$1"; then rustc --version; else /usr/bin/rustc --version; fi | cut -d' ' -f1-2
}
