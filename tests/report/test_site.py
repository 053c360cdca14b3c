"""The site of a publication: pieces, the same bytes twice, and its search in a browser, wide and narrow."""

import json
import re
import time

import pytest
from lists_generated import federation

from qiyi_analysis.lists.identities import Identities, keys
from qiyi_analysis.lists.publication import compared, masked
from qiyi_analysis.report.site import write_site


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    lists, truth = federation(3000, 3, seed=8)
    decided = Identities(same={keys([a])[0]: b for a, b in truth.same})
    p = compared(lists[-1], tuple(lists[:-1]), decided)
    folder = tmp_path_factory.mktemp("site")
    write_site(p, folder)
    return p, folder


def piece(folder, name):
    return json.loads(
        re.fullmatch(r'qiyi\("\w+",\d+,(.*)\);\n', (folder / "data" / f"{name}.js").read_text(), re.DOTALL)[1]
    )


def test_every_player_is_in_a_piece_and_found_by_name_and_id(made):
    p, folder = made
    index = piece(folder, "index-0")
    assert index["players"] == len(p.rows)
    rows = [row for k in range(3) for row in piece(folder, f"rows-{k}")]
    assert [row[1] for row in rows] == p.rows["id"].tolist()
    assert [row[8] for row in rows] == p.rows["rating"].astype(int).tolist()
    found = {(e[0], e[1]) for n in index["leaves"].values() for e in piece(folder, f"find-{n}")}
    assert {(id, i) for i, id in enumerate(p.rows["id"])} <= found
    women = piece(folder, "top-1")
    active = p.rows[(p.rows["sex"] == "w") & p.rows["place"].notna()]
    assert women == active.index[:100].tolist()
    one = rows[0][11]
    assert one[-1] == rows[0][8]
    assert len(one) == 3


def test_no_piece_of_the_search_is_large(made):
    _, folder = made
    index = piece(folder, "index-0")
    assert all(len(piece(folder, f"find-{n}")) <= 2000 for n in index["leaves"].values())


def test_the_same_bytes_and_nothing_of_minors(made, tmp_path):
    p, folder = made
    write_site(p, tmp_path / "again")
    files = sorted(f.relative_to(folder) for f in folder.rglob("*.*") if f.suffix != ".xlsx")
    assert all((folder / f).read_bytes() == (tmp_path / "again" / f).read_bytes() for f in files)
    write_site(masked(p), tmp_path / "masked")
    rows = piece(tmp_path / "masked", "rows-0")
    minor = p.rows["minor"].tolist()
    assert all((row[2] == "***" and row[7] is None) == minor[i] for i, row in enumerate(rows))


@pytest.mark.parametrize("width", [1300, 390])
def test_search_and_card_in_a_browser(made, browser, width):
    p, folder = made
    browser.set_window_size(width, 900)
    start = time.monotonic()
    browser.get((folder / "index.html").as_uri())
    wait(browser, "return document.body.dataset.ready === '1'")
    assert time.monotonic() - start < 20
    assert p.rows["name"][0] in browser.find_element("id", "main").text
    last = p.rows.iloc[-1]
    browser.find_element("id", "q").send_keys(last["id"])
    wait(
        browser,
        f"return document.querySelectorAll('tbody tr').length === 1 && main.innerText.includes({json.dumps(last['name'])})",
    )
    browser.execute_script("document.querySelector('tbody a').click()")
    wait(
        browser,
        f"return document.querySelector('h2') && document.querySelector('h2').textContent === {json.dumps(last['name'])}",
    )
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth + 1")
    field = browser.find_element("id", "q")
    field.clear()
    field.send_keys(f" {p.rows['name'][0].upper()} ")
    wait(
        browser,
        f"return document.querySelectorAll('tbody tr').length > 0 && main.innerText.includes({json.dumps(p.rows['name'][0])})",
    )
    browser.get((folder / "index-en.html").as_uri() + "#t1")
    wait(browser, "return document.body.dataset.ready === '1'")
    assert "Women" in browser.find_element("id", "main").text


def wait(browser, script):
    for _ in range(200):
        if browser.execute_script(script):
            return
        time.sleep(0.05)
    raise AssertionError(browser.find_element("id", "main").text[:500])
