# Sourced by the other scripts: finds or installs what they require. Prints one line per step to stderr.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TOOLS="$ROOT/.tools"
cd "$ROOT"

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# npm and bun write caches to the home folder. Without a writable one, uses .tools/home.
if [ -z "${HOME:-}" ] || [ ! -d "$HOME" ] || [ ! -w "$HOME" ]; then
  mkdir -p "$TOOLS/home"
  export HOME="$TOOLS/home"
fi

# Runs a command, and prints its output only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  [ "$status" = 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

pinned_bun_version() {
  sed -n 's/^ *"bun": *"\([0-9.]*\)".*/\1/p' package.json
}

is_bun() { [ "$("$1" --version 2>/dev/null)" = "$2" ]; }

# Puts the pinned bun on PATH: an installed one, otherwise one from npm in .tools/.
use_bun() {
  local version dir
  version=$(pinned_bun_version)
  [ -n "$version" ] || die "package.json pins no version of bun."
  if command -v bun >/dev/null && is_bun bun "$version"; then return; fi
  for dir in "$ROOT/node_modules/.bin" "$TOOLS/node_modules/.bin"; do
    if is_bun "$dir/bun" "$version"; then
      export PATH="$dir:$PATH"
      return
    fi
  done
  command -v npm >/dev/null || die "Neither bun $version nor npm is on PATH. Install Node.js with npm (Debian: apt-get install npm) and try again."
  say "Installing bun $version into .tools/"
  quietly npm install --prefix "$TOOLS" --no-save --no-package-lock --no-audit --no-fund --loglevel=error "bun@$version" ||
    die "npm could not install bun $version."
  export PATH="$TOOLS/node_modules/.bin:$PATH"
  is_bun bun "$version" || die "The bun that npm installed does not run here."
}

# Installs the dependencies of bun.lock, unless they are up to date.
install_dependencies() {
  local stamp="$ROOT/node_modules/.installed"
  if [ -e "$stamp" ] && [ ! package.json -nt "$stamp" ] && [ ! bun.lock -nt "$stamp" ]; then return; fi
  say "Installing dependencies"
  quietly bun install --frozen-lockfile || die "The dependencies could not be installed."
  touch "$stamp"
}

set_up() {
  use_bun
  install_dependencies
  export PATH="$ROOT/node_modules/.bin:$PATH"
  quietly bun scripts/build-assets.ts || die "The scripts and styles of the pages could not be bundled."
  quietly bun scripts/build-licenses.ts || die "The licenses could not be collected."
}

# Compiles ./filehost if it is missing or older than its sources.
build_if_stale() {
  if [ -x filehost ] && [ -z "$(find src web scripts/build.d package.json bun.lock tsconfig.json -newer filehost -print -quit)" ]; then return; fi
  say "Building ./filehost"
  quietly bun scripts/build.d/main.ts || die "The build failed."
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Installs the missing ones of the named Debian packages, without starting their services.
# Returns 1, with a message on stderr, if this user or system cannot.
install_packages() {
  local missing=() package as_root=() guard=/usr/sbin/policy-rc.d guarded=no status=0
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "No apt-get here: what needs ${missing[*]} will be skipped."
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      say "Not root and no sudo without a password: what needs ${missing[*]} will be skipped."
      return 1
    fi
    as_root=(sudo -n)
  fi
  say "Installing ${missing[*]}"
  if [ ! -e "$guard" ]; then
    guarded=yes
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$guard" >/dev/null
    "${as_root[@]}" chmod 755 "$guard"
  fi
  # Waits for another installation, such as a nightly upgrade, to end.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600)
  local install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
  if ! "${install[@]}" >/dev/null 2>&1; then
    quietly "${apt[@]}" update || status=1
    quietly "${install[@]}" || status=1
  fi
  [ "$guarded" = no ] || "${as_root[@]}" rm -f "$guard"
  return "$status"
}

# Installs a Python program of this version into .tools/, in a separate environment. Returns 1, with a message on stderr, if that fails.
install_python_tool() {
  local name=$1 version=$2 venv="$TOOLS/$1-$2"
  [ ! -e "$venv/.installed" ] || return 0
  say "Installing $name $version into .tools/"
  if ! quietly python3 -m venv "$venv" || ! quietly "$venv/bin/pip" install --quiet "$name==$version"; then
    say "$name $version could not be installed (Debian: apt-get install python3-venv)."
    return 1
  fi
  touch "$venv/.installed"
}

# Installs npm packages into .tools/NAME, separate from the project's packages. Returns 1, with a message on stderr, if that fails.
install_node_tools() {
  local folder="$TOOLS/$1"
  shift
  if [ "$(cat "$folder/.installed" 2>/dev/null)" = "$*" ]; then return 0; fi
  say "Installing $* into .tools/"
  mkdir -p "$folder"
  if ! quietly npm install --prefix "$folder" --no-save --no-package-lock --no-audit --no-fund --loglevel=error "$@"; then
    say "$* could not be installed."
    return 1
  fi
  printf '%s' "$*" >"$folder/.installed"
}

# Installs the generators of clients with which test/e2e/api/generated-clients.test.ts reads the OpenAPI document.
install_generators() {
  install_python_tool openapi-python-client 0.29.1
  install_node_tools openapi-typescript openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3
}
