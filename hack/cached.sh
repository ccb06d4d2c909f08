# shellcheck shell=sh
# Read by hack/tool.sh and hack/copied.sh: tools that are built once a machine, for whichever checkout.

root=$(cd "$(dirname "$0")/.." && pwd)

# cached NAME PINS BUILD: makes .tools/bin/NAME a link to a program in the user's cache folder, and has the function BUILD
# write it to the file that it is given where it is not there yet.
#
# PINS is the text of all that decides what is built. The program is kept by a checksum of it, so two checkouts with
# different pins do not disturb each other, and a link to what is not pinned any more is replaced. Contents, not times:
# a fresh checkout gives every file a new time. `make clean-tools` removes what is kept.
cached() {
	name=$1 link=$root/.tools/bin/$1
	store=${XDG_CACHE_HOME:-${HOME:?}/.cache}/function-proxmox-machine/tools/$name
	program=$store/$(printf '%s' "$2" | git hash-object --stdin | cut -c 1-16)/$name

	if [ ! -x "$program" ]; then
		mkdir -p "${program%/*}"

		# Two checkouts may want a tool at once: the second one waits and finds it built. Where there is no flock both build
		# it, and the later one replaces the earlier one's.
		if command -v flock >/dev/null 2>&1; then
			exec 9>"$store/.lock"
			flock 9
		fi

		if [ ! -x "$program" ]; then
			# Built beside its place and moved, so that an interrupted build leaves no half a tool behind.
			new=$program.$$
			trap 'rm -rf "$new"*' EXIT
			echo "building $name (once a machine; the first time takes minutes)" >&2
			"$3" "$new"
			mv -f "$new" "$program"
		fi
	fi

	if [ "$(readlink "$link" 2>/dev/null)" != "$program" ]; then
		mkdir -p "$root/.tools/bin"
		ln -sf "$program" "$link.$$"
		mv -f "$link.$$" "$link"
	fi
}
