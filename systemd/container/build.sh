#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# systemd/container/build.sh - the image's root of Debian packages, and the image: build.sh OUT   (make container)
# The root is made by mmdebstrap, as root or in a user namespace; the image by buildah, if it is there and this kernel lets it.
set -eu
out=$(mkdir -p "$1" && cd "$1" && pwd)
deb=${DEBS:-build/deb/now}
ls $deb/torqued_*.deb $deb/torquectl_*.deb >/dev/null 2>&1 || systemd/debian/build.sh $deb
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format "\$(LABEL)|\$(REPO_URI)" "Created-By: Packages" 2>/dev/null | sort -u | sed -n "s/^Debian|//p" | head -1)
# systemd is for the user, who is made here; dependencies of a library's package beyond libraries are not needed to load it
needs=$(for one in $deb/torqued_*.deb $deb/torquectl_*.deb; do dpkg-deb -f "$one" Depends; done | tr ',' '\n' |
    sed 's/|.*//; s/(.*//; s/ //g' | grep -v '^systemd$' | sort -u | paste -sd,)
rm -rf "$out/root" "$out/all"
mmdebstrap --quiet --variant=extract --include="$needs" "$suite" "$out/all" "deb $mirror $suite main" >"$out/build.log" 2>&1 ||
    { tail -5 "$out/build.log" >&2; exit 1; }
for one in $deb/torqued_*.deb $deb/torquectl_*.deb; do dpkg-deb -x "$one" "$out/all"; done
# the alternatives of a package are links that its script makes
for lib in "$out"/all/usr/lib/*/openblas-pthread; do
    for name in libopenblas.so.0 libblas.so.3 liblapack.so.3; do
        [ ! -e "$lib/$name" ] || ln -sf "openblas-pthread/$name" "${lib%/*}/$name"
    done
done
# only what the two programs load, by the loader's own account
root=$out/root
mkdir -p "$root/usr/bin" "$root/etc/torqued" "$root/etc/ssl/certs" "$root/var/lib/torqued" "$root/run/torqued" "$root/tmp" "$root/usr/share/doc" \
    "$root/proc" "$root/sys" "$root/dev"
loader=$(readelf -l "$out/all/usr/bin/torqued" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
cp "$out/all/usr/bin/torqued" "$out/all/usr/bin/torquectl" "$root/usr/bin/"
# torquectl loads libcurl at its first request
later=$(cd "$out/all" && echo /usr/lib/*/libcurl-gnutls.so.4)
for file in /usr/bin/torqued /usr/bin/torquectl $later; do
    chroot "$out/all" "$loader" --list "$file"
    case $file in *.so.*) printf '\t%s => %s (\n' "${file##*/}" "$file" ;; esac
done | sed -n 's/.*\( => \|^\t\)\(\/[^ ]*\) (.*/\2/p' | sort -u | while read -r lib; do
    mkdir -p "$root${lib%/*}"
    cp -L "$out/all$lib" "$root$lib"
    package=$(grep -lxF "$lib" "$out"/all/var/lib/dpkg/info/*.list 2>/dev/null | head -1 | sed 's,.*/,,; s/[:.].*//' || true)
    [ -z "$package" ] || [ ! -e "$out/all/usr/share/doc/$package/copyright" ] || {
        mkdir -p "$root/usr/share/doc/$package"
        cp -L "$out/all/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/"
    }
done
cp "$out/all/usr/share/doc/torqued/copyright" "$root/usr/share/doc/" 2>/dev/null || true
echo 'torqued:x:8420:8420:torqued:/var/lib/torqued:/usr/sbin/nologin' >"$root/etc/passwd"
echo 'torqued:x:8420:' >"$root/etc/group"
printf '[torqued]\nlisten = unix:/run/torqued/torqued.sock\nsocket_mode = 0666\n' >"$root/etc/torqued/torqued.conf"
chown -R 8420:8420 "$root/var/lib/torqued" "$root/run/torqued" 2>/dev/null || true
chmod 700 "$root/var/lib/torqued"
chmod 755 "$root/run/torqued"
chmod 1777 "$root/tmp"
when=$(git show -s --format=%ct HEAD 2>/dev/null || echo 0)
tar -C "$root" --sort=name --mtime="@$when" --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime -cf "$out/root.tar" .
rm -rf "$out/all"
echo "build/container/root.tar: $(du -m "$out/root.tar" | cut -f1) MB"
cp systemd/container/Containerfile "$out/"
command -v buildah >/dev/null || { echo "no buildah (make deps-container): the root is there, the image is not"; exit 0; }
rm -f "$out/torqued.tar"
if (cd "$out" && buildah --storage-driver vfs --root "$out/store" --runroot "$out/run" bud --isolation chroot --format docker -q -t torqued . &&
    buildah --storage-driver vfs --root "$out/store" --runroot "$out/run" push -q torqued "docker-archive:$out/torqued.tar:torqued:latest") >>"$out/build.log" 2>&1; then
    echo "build/container/torqued.tar: $(du -m "$out/torqued.tar" | cut -f1) MB"
else
    tail -3 "$out/build.log" >&2
    echo "buildah cannot build here: the root is there, the image is not"
fi
rm -rf "$out/store" "$out/run"
