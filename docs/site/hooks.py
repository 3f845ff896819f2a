# SPDX-License-Identifier: Apache-2.0
# docs/site/hooks.py - what mkdocs makes the guide of: pages of docs/, of the clients, of the contract; links among them.
import json
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(HERE))
import reference  # noqa: E402

HOW_TO = "docs/first-hour.md"
# part of the guide, its pages: (name here, file, title)
PAGES = (
    ("Start", (("index", "docs/guide.md", "torqued"), ("tutorial", "docs/tutorial.md", "Tutorial"),
               ("calibrating", "docs/calibrating.md", "A calibrated model in an afternoon"))),
    ("How to", ()),  # the sections of HOW_TO
    ("Understand", (("conventions", "docs/conventions.md", "Conventions"), ("controllers", "docs/controllers.md", "Controllers"),
                    ("lock-step", "docs/lock-step.md", "Lock step"),
                    ("verdicts", "docs/verdicts.md", "What a verdict means"),
                    ("glossary", "docs/glossary.md", "Glossary"))),
    ("Clients", (("python", "clients/python/README.md", "Python"), ("javascript", "clients/javascript/README.md", "JavaScript"),
                 ("c", "clients/c/README.md", "C"), ("others", "docs/other-languages.md", "Other languages"),
                 ("generated-clients", "docs/generated-clients.md", "By a generator"))),
    ("Run it", (("operating", "docs/operating.md", "Operating"), ("cluster", "docs/cluster.md", "Several nodes"),
                ("security", "docs/SECURITY.md", "Security"), ("guarantees", "docs/guarantees.md", "Guarantees"),
                ("known-risks", "docs/known-risks.md", "Known risks"))),
    ("Reference", ()),
)
HOME = {}  # file in the repository: page
NAVIGATION = []  # (part, [(page, title)]) as the theme lists them


def slug(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower().replace("'", "")).strip("-")


def how_to():
    """(page, title, text) of each section of the first hour."""
    intro, *sections = re.split(r"^## ", (TOP / HOW_TO).read_text(), flags=re.M)
    given = intro[intro.index("Blocks of Python"):]  # what each block begins with
    for section in sections:
        title, rest = section.split("\n", 1)
        if "### " in rest:
            # one heading less deep, and numbers that counted over all sections
            rest = re.sub(r"^### (?:\d+\. )?", "## ", rest, flags=re.M)
            yield f"how-{slug(title)}", title, f"# {title}\n{rest}\n## What blocks begin with\n\n{given}"


def on_files(files, config):
    NAVIGATION.clear()
    HOME.clear()
    found = []

    def add(name, text, source=None):
        found.append(File.generated(config, f"{name}.md", content=text))
        if source:
            HOME[source] = f"{name}.md"

    for part, own in PAGES:
        rows = [(name, title) for name, _, title in own]
        for name, source, _ in own:
            add(name, (TOP / source).read_text(), source)
        if part == "How to":
            for name, title, text in how_to():
                add(name, text)
                rows.append((name, title))
            HOME[HOW_TO] = f"{rows[0][0]}.md"
        if part == "Reference":
            pages = reference.made()
            for name, text in pages.items():
                add(name.removesuffix(".md"), text)
            rows += [("reference", "All operations")] + [(name[:-3], name[3:-3]) for name in pages if name.startswith("op-")]
            rows += [("resources", "Resources"), ("types", "Types")]
        NAVIGATION.append((part, rows))
    for one in found:
        files.append(one)
    return files


def on_page_markdown(markdown, page, config, files):
    """Links to files that are pages here lead there; to others of the repository they are words."""
    source = next((file for file, name in HOME.items() if name == page.file.src_uri), "docs/x")
    here = (TOP / source).parent

    def target(found):
        words, link = found[1], found[2]
        file, _, anchor = link.partition("#")
        if "://" in link or link.startswith("/") or not file or file in files.src_uris:
            return found[0]
        try:
            known = HOME.get(str((here / file).resolve().relative_to(TOP)))
        except ValueError:
            known = None
        return f"[{words}]({known}{'#' + anchor if anchor else ''})" if known else words

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", target, part) for part in parts)


def on_page_context(context, page, config, nav):
    context["parts"] = NAVIGATION
    context["here"] = page.file.src_uri[:-3]
    return context


def on_page_content(html, page, config, files):
    # wide tables scroll by themselves, and a keyboard can scroll them
    html = re.sub(r"<table>", '<div class="wide" tabindex="0" role="region" aria-label="table"><table>', html).replace("</table>", "</table></div>")
    html = html.replace("<pre>", '<pre tabindex="0">')
    # the policy admits no style in a page; alignment of columns is by the sheet
    page.found = {"words": re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)), "sections": re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', html)}
    return re.sub(r' style="[^"]*"', "", html)


def on_post_build(config):
    folder = Path(config["site_dir"])
    for extra in ("sitemap.xml", "sitemap.xml.gz"):
        (folder / extra).unlink(missing_ok=True)


def on_env(env, config, files):
    """The index that site.js searches: [page, title, part, sections, words]."""
    titles = {name: (title, part) for part, rows in NAVIGATION for name, title in rows}
    index = []
    for file in files.documentation_pages():
        name = file.src_uri[:-3]
        found = getattr(file.page, "found", None)
        if found:
            text = re.sub(r"&[a-z0-9#]+;", " ", found["words"])
            limit = 6000 if name == "types" else 20000
            index.append([name, *titles[name], [[anchor, re.sub(r"<[^>]+>", "", title)] for anchor, title in found["sections"]], text[:limit]])
    Path(config["site_dir"]).mkdir(parents=True, exist_ok=True)
    (Path(config["site_dir"]) / "search.json").write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")))
    return env
