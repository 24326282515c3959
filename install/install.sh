#!/bin/sh
# Puts bir on this machine for the user who runs it, or a newer one in place of it:  sh install.sh
#
#   BIR_BASE_URL             a release: an https:// URL, or a folder such as dist/release of `bun run build --all`
#   BIR_VERSION              this version and no other, out of v<VERSION>/ there; unset: the newest
#   BIR_INSTALL_DIR          where the executable goes; ~/.local/bin
#   BIR_NO_MODIFY_PATH       1: leaves the settings of the shell alone
#   BIR_DOWNLOAD_TIMEOUT_MS  how long connecting may take, and how long a server may send nothing; 30000
#   BIR_HOME                 where the receipt goes, which tells `bir self uninstall` what to take back; ~/.baseinstrunner
#
# It asks for no other user's rights. Nothing is replaced before the new executable has the right checksum and has run.
# install.ps1 does the same on Windows, src/roles/cli/self/ what comes after: what is fixed between them, a test holds.
#
# All of it is one function, called on the last line: of a download that was cut off, nothing runs. (Not even the first letters
# of a name as a command, which is what a shell takes a cut-off line for.)
#
# shellcheck disable=SC2016 # what is in single quotes is for a person or another shell to expand

_install_bir() {

# Where releases are published. Empty: nowhere yet.
RELEASE_URL=''
TARGETS='linux-x64 linux-x64-musl linux-arm64 darwin-x64 darwin-arm64'
PATH_MARK='# bir: put here by its installer'

main() {
  set -eu
  scratch='' draft='' made='' finished=no
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM

  check_user
  find_target
  find_release
  find_places
  check_place
  plan_path

  make_directory "$directory" 755 || fail "$directory cannot be made" "Set BIR_INSTALL_DIR to a directory of yours"
  scratch=$(mktemp -d "$directory/.bir-install.XXXXXX") ||
    fail "$directory cannot be written to" "Set BIR_INSTALL_DIR to a directory of yours"
  get_executable
  draft_receipt
  mv -f "$new" "$executable"
  mv -f "$draft" "$receipt"
  finished=yes
  write_path
  tell
}

say() { printf '%s\n' "$*"; }
warn() { printf 'bir: %s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

fail() { # WHAT WHAT-TO-DO
  warn "$1. $2."
  exit 1
}

clean_up() {
  status=$?
  trap - EXIT
  [ -z "$scratch" ] || rm -rf "$scratch"
  [ -z "$draft" ] || rm -f "$draft"
  # Directories that were made for nothing, the innermost first.
  [ $finished = yes ] || reversed "$made" | while read -r one; do rmdir "$one" 2>/dev/null || :; done
  exit $status
}

# --- For whom and for what ---

check_user() {
  case ${HOME-} in
    /*) ;;
    *) fail 'HOME is not set' 'Set it to your home directory' ;;
  esac
  for one in "$HOME" "${BIR_INSTALL_DIR-}" "${BIR_HOME-}" "${ZDOTDIR-}" "${XDG_CONFIG_HOME-}"; do
    is_plain "$one" || fail 'the name of a directory has a control character in it' 'Choose another directory'
  done
  if [ -n "${SUDO_USER-}" ] && [ "$(id -u)" = 0 ]; then
    # shellcheck disable=SC2012 # the owner's number alone
    owner=$(ls -ldn "$HOME" | awk '{ print $3 }')
    [ "$owner" = 0 ] || fail "this runs as root in the home of another user, $HOME" 'Run it without sudo'
  fi
}

find_target() {
  system=$(uname -s)
  processor=$(uname -m)
  case $system in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN* | Windows*) fail 'this is Windows' 'Run install.ps1 in PowerShell' ;;
    *) fail "there is no bir for $system" 'It runs on Linux, macOS and Windows' ;;
  esac
  case $processor in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no bir for a processor of the kind $processor" 'It runs on x64 and arm64' ;;
  esac
  libc=''
  if [ $os = darwin ]; then
    # A shell that Rosetta translates says x86_64 on an Apple processor.
    [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || :)" != 1 ] || cpu=arm64
  else
    [ "$(uname -o 2>/dev/null || :)" != Android ] || fail 'there is no bir for Android' 'It runs on Linux, macOS and Windows'
    [ "$(getconf LONG_BIT 2>/dev/null || :)" != 32 ] || fail 'this system is a 32-bit one' 'bir runs on 64-bit ones'
    if is_musl; then libc=-musl; fi
  fi
  target=$os-$cpu$libc
  case " $TARGETS " in
    *" $target "*) ;;
    *) fail "there is no bir for $target" "There is one for each of $TARGETS" ;;
  esac
  file=bir-$target
}

is_musl() {
  case $(ldd --version 2>&1 || :) in
    *musl*) return 0 ;;
    *GLIBC* | *'GNU libc'*) return 1 ;;
  esac
  for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
    [ ! -e "$loader" ] || return 1
  done
  for loader in /lib/ld-musl-*; do
    [ ! -e "$loader" ] || return 0
  done
  return 1
}

# --- Where it comes from ---

find_release() {
  release=${BIR_BASE_URL:-$RELEASE_URL}
  [ -n "$release" ] || fail 'no release of bir is published yet' \
    'Make one, `npx --yes bun@1.4.5 run build --all`, and set BIR_BASE_URL to its folder, dist/release, or to a URL of a copy'
  is_plain "$release" || fail 'BIR_BASE_URL has a control character in it' 'Write a folder or an https:// URL'
  case $release in
    https://* | http://*) find_server ;;
    file:///* | file://localhost/*) is_url=no release=${release#file://} && release=/${release#*/} ;;
    *://*) fail 'BIR_BASE_URL is no kind of URL that is taken' 'Write a folder or an https:// URL' ;;
    *) is_url=no ;;
  esac
  if [ $is_url = no ]; then
    case $release in *%*) fail 'BIR_BASE_URL has a % in it' 'Write the path of the folder as it is' ;; esac
    release=$(CDPATH='' cd -- "$release" 2>/dev/null && pwd) ||
      fail "there is no folder ${BIR_BASE_URL-}" 'Set BIR_BASE_URL to the folder of a release'
  fi
  release=${release%/}
  version=${BIR_VERSION-}
  version=${version#v}
  case $version in
    *[!0-9A-Za-z.+-]* | .* | -*) fail 'BIR_VERSION is no version' 'Write one such as 0.1.0' ;;
  esac
  place=$release${version:+/v$version}

  timeout_ms=${BIR_DOWNLOAD_TIMEOUT_MS:-30000}
  case $timeout_ms in
    *[!0-9]* | 0* | ??????????*) fail 'BIR_DOWNLOAD_TIMEOUT_MS is no number of milliseconds' 'Write digits alone' ;;
  esac
  timeout_s=$(((timeout_ms + 999) / 1000))
}

find_server() {
  is_url=yes
  server=${release#*://}
  server=${server%%/*}
  # Not quoted in the message: it may hold a password.
  case $release in
    *[?#\ ]*) fail 'BIR_BASE_URL has a ?, a # or a space in it' 'Write the URL of a folder alone' ;;
  esac
  case $server in
    *@*) fail 'BIR_BASE_URL has a user in it' 'Write it without: other users see the arguments of programs' ;;
  esac
  case $release in https://*) scheme=https && return ;; esac
  scheme=http
  case $server in
    localhost | 127.0.0.1 | '[::1]') ;;
    localhost:* | 127.0.0.1:* | '[::1]':*)
      case ${server##*:} in *[!0-9]*) fail 'BIR_BASE_URL has no port after its :' 'Write a number' ;; esac
      ;;
    *) fail 'BIR_BASE_URL begins with http://' 'Only https:// is taken, except from this machine itself' ;;
  esac
}

get() { # NAME FILE
  if [ $is_url = no ]; then
    [ -f "$place/$1" ] || fail "there is no $1 in $place" 'Set BIR_BASE_URL to the folder of a release'
    cp "$place/$1" "$2" || fail "$place/$1 could not be copied" 'Put that right and run this again'
    return
  fi
  # Written by the shell: a curl that is shut into a sandbox may not write to hidden directories.
  if has curl; then
    with_curl "$place/$1" >"$2" || not_got "$1"
  elif has wget; then
    with_wget "$place/$1" "$2" || not_got "$1"
  else
    fail 'there is neither curl nor wget' 'Install one of them, or set BIR_BASE_URL to a folder'
  fi
}

not_got() {
  fail "$place/$1 could not be got" 'What is above says why; what was installed before is as it was'
}

with_curl() { # URL
  if [ "$scheme" = https ]; then
    set -- --proto '=https' --tlsv1.2 --location --max-redirs 5 "$1"
  else
    set -- --proto '=http' --noproxy '*' "$1"
  fi
  if [ -t 2 ] && [ "${TERM-dumb}" != dumb ]; then set -- --progress-bar "$@"; else set -- --silent --show-error "$@"; fi
  curl --fail --connect-timeout $timeout_s --speed-limit 1 --speed-time $timeout_s "$@"
}

with_wget() { # URL FILE
  case $(wget --version 2>/dev/null || :) in
    *'GNU Wget'*) ;;
    *)
      # BusyBox's may take any certificate. Its time limit is its own: in some builds the option for it ends it.
      [ "$scheme" = http ] || fail 'this wget does not check whom it talks to' 'Install curl'
      wget -q -O - "$1" >"$2"
      return
      ;;
  esac
  # By itself it follows from https to http.
  at=$1
  set -- "$2" -nv -S --no-hsts --tries=1 --timeout=$timeout_s --max-redirect=0 -O -
  [ "$scheme" = https ] || set -- "$@" --no-proxy
  to=$1
  shift
  for _ in 1 2 3 4 5 6; do
    if wget "$@" "$at" >"$to" 2>"$scratch/said"; then return 0; fi
    at=$(sed -n 's/^ *[Ll]ocation: *\([^ ]*\).*/\1/p' "$scratch/said" | tr -d '\r' | tail -n 1)
    case $at in
      https://*) [ "$scheme" = https ] || break ;;
      '')
        tail -n 1 "$scratch/said" >&2
        return 1
        ;;
      *) break ;;
    esac
  done
  warn 'the server redirects to where this script does not follow'
  return 1
}

# --- Where it goes ---

find_places() {
  BIR_HOME=$(absolute "${BIR_HOME:-$HOME/.baseinstrunner}")
  receipt=$BIR_HOME/receipt.json
  if [ -f "$receipt" ] && ! grep -q '^  "format": 1,$' "$receipt"; then
    fail "$receipt is none that this script can read" 'Take the newest install.sh'
  fi
  before=$(sed -n 's/^  "executable": "\(.*\)",$/\1/p' "$receipt" 2>/dev/null | sed 's/\\\(["\\]\)/\1/g') || :
  [ -z "$before" ] || [ -e "$before" ] || before=''
  if [ -n "${BIR_INSTALL_DIR-}" ]; then
    directory=$(absolute "$BIR_INSTALL_DIR")
  elif [ -n "$before" ]; then
    directory=${before%/*}
  else
    directory=$HOME/.local/bin
  fi
  executable=$directory/bir
}

check_place() {
  [ -z "$before" ] || [ "$before" = "$executable" ] || fail "bir is installed already, as $before" \
    'Hosts may start it from there: leave BIR_INSTALL_DIR unset to renew it, or run `bir self uninstall` first'
  if [ -L "$executable" ]; then
    fail "$executable is a link" 'Remove it, or set BIR_INSTALL_DIR to another directory'
  elif [ -e "$executable" ]; then
    LC_ALL=C grep -q baseinstrunner "$executable" 2>/dev/null ||
      fail "$executable is there already and is another program" 'Move it away, or set BIR_INSTALL_DIR'
  fi
}

make_directory() { # DIRECTORY MODE; its parents too; tells by its status, and notes what it made
  if [ -z "$1" ] || [ -d "$1" ]; then return 0; fi
  make_directory "${1%/*}" 755 || return 1
  # Another one may have made it meanwhile.
  mkdir -m "$2" "$1" 2>/dev/null || { [ -d "$1" ] && return 0; } || return 1
  made=$made$1'
'
}

# --- The executable ---

get_executable() {
  has sha256sum || has shasum || has openssl ||
    fail 'there is nothing to check a SHA-256 with' 'Install sha256sum, shasum or openssl'
  get SHA256SUMS "$scratch/SHA256SUMS"
  right=''
  while read -r sum name || [ -n "$sum" ]; do
    case $name in "$file" | "*$file") right=$sum ;; esac
  done <"$scratch/SHA256SUMS"
  case $right in
    '') fail "SHA256SUMS in $place does not name $file" 'Another release may have it' ;;
    *[!0-9a-f]*) right='' ;;
  esac
  [ ${#right} = 64 ] || fail "SHA256SUMS in $place is damaged" 'Nothing was changed; try again later'

  new=$scratch/bir
  if [ -e "$executable" ] && [ "$(sha256_of "$executable")" = "$right" ]; then
    is_new=no
    cp "$executable" "$new" || fail "$executable could not be copied" 'Put that right and run this again'
  else
    is_new=yes
    say "Getting $place/$file …"
    get "$file" "$new"
  fi
  found=$(sha256_of "$new")
  [ "$found" = "$right" ] ||
    fail "$file of $place has another checksum than SHA256SUMS says" 'It is not installed; try again, then tell who gave it to you'
  chmod 755 "$new"
  hint='This system may be too old for it'
  [ -z "$libc" ] || hint='It needs libstdc++ and libgcc: apk add libstdc++'
  says=$("$new" --version </dev/null) || fail "the new bir does not run on this machine" "$hint"
  case $says in
    '' | *[!0-9A-Za-z.+-]*) fail 'the new bir does not tell its version' 'It is not installed' ;;
  esac
  [ -z "$version" ] || [ "$version" = "$says" ] ||
    fail "this is bir $says, not $version" "It is not installed; see what lies in $place"
}

sha256_of() { # FILE
  if has sha256sum; then
    set -- "$(sha256sum <"$1")"
  elif has shasum; then
    set -- "$(shasum -a 256 <"$1")"
  else
    set -- "$(openssl dgst -sha256 -r <"$1")"
  fi
  printf '%s' "${1%% *}"
}

# --- PATH ---

# Finds which files of the shell get a line: `edited`, one a line, and `path_note`, what is told of it.
plan_path() {
  edited='' path_note=''
  is_fish=no
  by_hand="Put $directory on your PATH yourself."
  case $directory in *:*) path_note="A directory with a : in its name cannot be on PATH: $directory" && return ;; esac
  case :$PATH: in *:"$directory":*) return ;; esac
  case ${BIR_NO_MODIFY_PATH:-0} in 0) ;; *) path_note=$by_hand && return ;; esac
  case ${SHELL-} in
    */fish) is_fish=yes && edit "${XDG_CONFIG_HOME:-$HOME/.config}/fish/conf.d/bir.fish" ;;
    */zsh) edit "${ZDOTDIR:-$HOME}/.zshrc" ;;
    */bash)
      edit "$HOME/.bashrc"
      for one in .bash_profile .bash_login .profile; do
        [ -e "$HOME/$one" ] || [ $one = .profile ] || continue
        edit "$HOME/$one"
        break
      done
      ;;
    *) edit "$HOME/.profile" ;;
  esac
}

edit() {
  edited=$edited$1'
'
}

path_line() {
  printf 'case ":$PATH:" in *:%s:*) ;; *) export PATH=%s:"$PATH" ;; esac %s' "$(quoted)" "$(quoted)" "$PATH_MARK"
}

fish_lines() {
  word=$(printf '%s' "$directory" | sed "s/[\\\\']/\\\\&/g")
  printf '%s\nif not contains -- '\''%s'\'' $PATH\n    set -gx PATH '\''%s'\'' $PATH\nend\n' "$PATH_MARK" "$word" "$word"
}

quoted() { # the directory as one word of a shell
  printf "'%s'" "$(printf '%s' "$directory" | sed "s/'/'\\\\''/g")"
}

# What is about to be edited, in the words of the receipt: which files, which of them are not there yet, and which of them
# do not end with a line end, so that one has to be added.
sort_edited() {
  edited_now='' edited_made='' edited_ended=''
  while read -r one; do
    [ -n "$one" ] || continue
    if [ ! -e "$one" ]; then
      edited_made=$edited_made$one'
'
    elif [ ! -f "$one" ] || [ ! -w "$one" ]; then
      path_note="$one cannot be written. $by_hand"
      continue
    elif grep -qF "$PATH_MARK" "$one"; then
      continue
    elif [ $is_fish = yes ]; then
      path_note="$one is there already. $by_hand"
      continue
    elif [ -n "$(tail -c 1 "$one")" ]; then
      edited_ended=$edited_ended$one'
'
    fi
    make_directory "${one%/*}" 755 || {
      path_note="${one%/*} cannot be made. $by_hand"
      continue
    }
    edited_now=$edited_now$one'
'
  done <<END
$edited
END
}

write_path() {
  while read -r one; do
    [ -n "$one" ] || continue
    end=''
    case "
$edited_ended" in *"
$one
"*) end='
' ;; esac
    if [ $is_fish = yes ]; then text=$(fish_lines); else text=$(path_line); fi
    if { printf '%s%s\n' "$end" "$text" >>"$one"; } 2>/dev/null; then
      say "PATH: a line in $one"
    else
      path_note="$one could not be written. $by_hand"
    fi
  done <<END
$edited_now
END
}

# --- The receipt ---

draft_receipt() {
  make_directory "$BIR_HOME" 700 || fail "$BIR_HOME cannot be made" 'Set BIR_HOME to a directory of yours'
  sort_edited
  draft=$BIR_HOME/.receipt.$$
  (
    umask 077
    {
      say '{'
      say '  "format": 1,'
      say "  \"version\": $(json "$says"),"
      say "  \"target\": $(json "$target"),"
      say "  \"executable\": $(json "$executable"),"
      say "  \"sha256\": $(json "$right"),"
      say "  \"baseUrl\": $(json "$release"),"
      list madeDirectories "$made" ,
      list pathFiles "$edited_now" ,
      list pathFilesMade "$edited_made" ,
      list pathFilesGivenLineEnd "$edited_ended" ''
      say '}'
    } >"$draft"
  ) || fail "$BIR_HOME cannot be written to" 'Set BIR_HOME to a directory of yours'
}

# One list of the receipt: what was in it before, and what is new, one a line. The layout is also how it is read again.
list() { # NAME PATHS COMMA
  items=$(
    {
      [ ! -f "$receipt" ] || sed -n "/^  \"$1\": \\[\$/,/^  \\]/s/^    \\(\".*\"\\),\\{0,1\\}\$/\\1/p" "$receipt"
      printf '%s' "$2" | sed 's/["\\]/\\&/g; s/.*/"&"/'
    } | awk 'length && !seen[$0]++'
  )
  if [ -z "$items" ]; then
    say "  \"$1\": []$3"
  else
    say "  \"$1\": ["
    printf '%s\n' "$items" | sed 's/^/    /; $!s/$/,/'
    say "  ]$3"
  fi
}

json() { printf '"%s"' "$(printf '%s' "$1" | sed 's/["\\]/\\&/g')"; }

# --- In the end ---

tell() {
  if [ $is_new = yes ]; then say "bir $says is installed: $executable"; else say "bir $says was installed already: $executable"; fi
  [ -z "$path_note" ] || say "$path_note"
  case :$PATH: in
    *:"$directory":*)
      first=$(command -v bir || :)
      [ "$first" = "$executable" ] || warn "another bir comes first on your PATH: $first"
      ;;
    *) say "In this terminal, first:  export PATH=$(quoted):\"\$PATH\"" ;;
  esac
  say ''
  say 'Next:'
  say '  bir install           has the MCP servers of the hosts on this machine recorded (--dry-run shows what it would change)'
  say '  bir view              after your host has used one: what was called, and what came back, in a browser'
  say '  bir run show          the same in the terminal: the latest run'
  say '  bir self uninstall    takes it all away again'
}

# --- Words and paths ---

is_plain() { [ "$1" = "$(printf '%s' "$1" | LC_ALL=C tr -d '[:cntrl:]')" ]; }

absolute() {
  case $1 in
    /*) one=$1 ;;
    *) one=$(pwd)/$1 ;;
  esac
  while [ "$one" != "${one%/}" ]; do one=${one%/}; done
  printf '%s' "$one"
}

reversed() { printf '%s' "$1" | awk '{ line[NR] = $0 } END { for (at = NR; at > 0; at--) print line[at] }'; }

main

}

{ _install_bir; }
