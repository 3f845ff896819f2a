#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# systemd/sbom.py - SPDX 2.3 of programs: sbom.py PROGRAM...: the Debian packages of every library that they load or contain.
"""Shared libraries by ldd(1), and what torquectl loads later, each by the package that owns its file. What is linked in or only headers: STATIC."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
STATIC = ("libsundials-dev", "liblapacke-dev", "libxxhash-dev")
LATER = "libcurl-gnutls.so.4"  # by dlopen(3), at torquectl's first request


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def libraries(program):
    later = re.findall(rf"{re.escape(LATER)} .*=> (/\S+)", run("/sbin/ldconfig", "-p"))[:1] if LATER.encode() in pathlib.Path(program).read_bytes() else []
    return sorted({*later, *(path for one in (program, *later) for path in re.findall(r"(/\S+) \(0x", run("ldd", one)))})


def owners(paths):
    """The installed package of each file; dpkg lists some by their names before the merge of /usr."""
    spelt = {}
    for path in paths:
        for name in (path, os.path.realpath(path)):
            for other in (name, name.removeprefix("/usr"), "/usr" + name):
                spelt[other] = path
    # a name that no package has is an error of dpkg-query, and the others are answered
    found = subprocess.run(["dpkg-query", "-S", *spelt], capture_output=True, text=True, check=False).stdout
    result = {}
    for line in found.splitlines():
        package, _, name = line.partition(": ")
        if name in spelt:
            result.setdefault(spelt[name], package.split(",")[0])
    return result


def facts(packages):
    """By name as asked for; those that are not installed are left out."""
    form = "${Package}\t${Version}\t${Architecture}\t${Homepage}\t${source:Package}\t${source:Version}\n"
    found = subprocess.run(["dpkg-query", "-W", "-f", form, *packages], capture_output=True, text=True, check=False).stdout
    return {row[0]: row for row in (line.split("\t") for line in found.splitlines()) if row[1]}


def entry(row, how):
    name, version, architecture, home, source, source_version = row
    codename = re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())
    url = f"pkg:deb/debian/{name}@{version}?arch={architecture}" + (f"&distro={codename[1]}" if codename else "")
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "homepage": home or "NOASSERTION", "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION", "sourceInfo": f"source package {source} {source_version}; {how}",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}],
    }


def document(programs):
    version = re.search(r'TQA_VERSION "(.*)"', (ROOT / "api/version.h").read_text())[1]
    commit, when = run("git", "-C", ROOT, "show", "-s", "--format=%H %ct").split() if (ROOT / ".git").exists() else ("none", "0")
    loaded = {program: libraries(program) for program in programs}
    of = owners({path for paths in loaded.values() for path in paths})
    unowned = {path for paths in loaded.values() for path in paths} - set(of)
    if unowned:
        sys.exit("no Debian package owns " + " ".join(sorted(unowned)))
    names = {package.split(":")[0] for package in of.values()}
    rows = facts([*of.values(), *STATIC])
    packages = {n: entry(rows[n], "shared library" if n in names else "linked in") for n in {*names, *STATIC} if n in rows}
    relations, made = [], []
    for program in programs:
        name = os.path.basename(program)
        digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
        made.append({
            "SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]})
        relations.append(("SPDXRef-DOCUMENT", "DESCRIBES", f"SPDXRef-{name}"))
        for path in loaded[program]:
            relations.append((f"SPDXRef-{name}", "DYNAMIC_LINK", packages[of[path].split(":")[0]]["SPDXID"]))
        for package in STATIC if name == "torqued" else ():
            if package in packages:
                relations.append((f"SPDXRef-{name}", "STATIC_LINK", packages[package]["SPDXID"]))
    created = run("date", "-u", "-d", f"@{when}", "+%Y-%m-%dT%H:%M:%SZ").strip()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"torqued-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/torqued-{version}-{commit}",
        "creationInfo": {"created": created, "creators": ["Tool: systemd/sbom.py"]},
        "packages": made + [packages[p] for p in sorted(packages)],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in sorted(set(relations))],
    }


if __name__ == "__main__":
    json.dump(document(sys.argv[1:]), sys.stdout, indent=1)
    print()
