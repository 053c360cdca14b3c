"""The desk: who may ask, what is taken, what is refused; and a real browser that drops a file and reads the verdict."""

from __future__ import annotations

import base64
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

TOKEN = "token-of-the-test"
EVENT = Path(__file__).parents[2] / "data" / "events" / "nanjing-2010"


#: What a user's own Jupyter configuration may hold: no token, every origin, no word of the page, every address.
HOSTILE = {
    "IdentityProvider": {"token": ""},
    "ServerApp": {
        "token": "", "password": "", "disable_check_xsrf": True, "allow_origin": "*", "ip": "0.0.0.0",
        "allow_remote_access": True, "terminals_enabled": True, "allow_unauthenticated_access": True,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a desk that runs in the home of a user whose Jupyter is open to everybody."""
    home = tmp_path_factory.mktemp("home")
    (home / ".jupyter").mkdir()
    for name in ("jupyter_server_config", "jupyter_config", "qiyi_desk_config", "jupyter_qiyi_desk_config"):
        (home / ".jupyter" / f"{name}.json").write_text(json.dumps(HOSTILE), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "qiyi_analysis", "desk", "--no-browser", "--port", str(port),
         "--letterhead", str(EVENT.parents[2] / "docs" / "letterhead" / "letterhead.toml")],
        env={**os.environ, "QIYI_DESK_TOKEN": TOKEN, "HOME": str(home), "JUPYTER_TOKEN": ""},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], 90)[0], "the desk did not start"
        address = process.stdout.readline().strip()
        assert address == f"http://127.0.0.1:{port}/qiyi/desk?token={TOKEN}"
        for _ in range(100):
            try:
                urllib.request.urlopen(address, timeout=5)
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def ask(url: str, files: list[tuple[str, str, bytes]] | None = None, token: str = TOKEN) -> tuple[int, bytes]:
    """Status and body of a request; ``files`` (field, name, bytes) make it an upload."""
    headers = {"Authorization": f"token {token}"} if token else {}
    data = None
    if files is not None:
        boundary = uuid.uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n".encode()
            + body
            + b"\r\n"
            for field, name, body in files
        ]
        data = b"".join(parts) + f"--{boundary}--\r\n".encode()
        headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
    request = urllib.request.Request(url, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def event_files() -> list[tuple[str, str, bytes]]:
    return [
        ("event", path.name, path.read_bytes())
        for path in sorted(EVENT.glob("*.*"))
        if path.suffix in (".csv", ".json")
    ]


@pytest.mark.parametrize(
    "path",
    ["/qiyi/desk", "/qiyi/choices", "/qiyi/player?id=x&number=1", "/qiyi/file?id=x&kind=pdf",
     "/qiyi/static/desk.js", "/api/kernels", "/api/contents", "/api/terminals", "/tree", "/login", "/"]
)  # fmt: skip
def test_without_the_token_nothing_is_answered(desk, path):
    status, body = ask(desk + path, token="")
    assert status == 403
    assert b"drop" not in body


def test_an_upload_without_the_token_is_refused(desk):
    assert ask(f"{desk}/qiyi/audit", event_files(), token="")[0] == 403
    assert ask(f"{desk}/qiyi/audit", event_files(), token="wrong")[0] == 403


@pytest.mark.parametrize("path", ["/api/kernels", "/api/contents", "/api/terminals", "/api/sessions", "/lab"])
def test_nothing_of_jupyter_stands_behind_the_desk(desk, path):
    assert ask(desk + path)[0] == 404
    assert ask(desk + path, [("event", "x", b"x")])[0] in (404, 405)


def head_of(desk: str, request: str) -> bytes:
    """What the desk answers to the head of a request whose body is never sent."""
    host, _, port = desk.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(f"{request}\r\nHost: {host}:{port}\r\n\r\n".encode())
        return connection.recv(65536)


POST = (
    "POST /qiyi/audit HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 60000000"
)


def cookie_of(desk: str) -> str:
    told = head_of(desk, f"GET /qiyi/desk?token={TOKEN} HTTP/1.1").decode("utf-8", "replace")
    return next(line for line in told.splitlines() if line.startswith("Set-Cookie:")).split()[1].rstrip(";")


def test_a_stranger_is_refused_before_the_body_is_sent(desk):
    assert b" 403 " in head_of(desk, POST).split(b"\r\n")[0]


def test_the_cookie_alone_sends_nothing_and_another_cookie_opens_nothing(desk):
    cookie = cookie_of(desk)
    for asked, with_cookie in ((POST, cookie), ("GET /qiyi/choices HTTP/1.1", cookie[:-4] + "AAAA")):
        assert b" 403 " in head_of(desk, f"{asked}\r\nCookie: {with_cookie}").split(b"\r\n")[0]
    assert b" 200 " in head_of(desk, f"GET /qiyi/choices HTTP/1.1\r\nCookie: {cookie}").split(b"\r\n")[0]
    from qiyi_analysis.app.desk.guard import Access

    assert Access(TOKEN, 1, 1).cookie != Access(TOKEN, 1, 1).cookie


def test_another_origin_is_refused_even_with_the_token(desk):
    extra = f"Authorization: token {TOKEN}\r\nOrigin: http://evil.example"
    for asked in (POST, "GET /qiyi/choices HTTP/1.1"):
        assert b" 403 " in head_of(desk, f"{asked}\r\n{extra}").split(b"\r\n")[0]


@pytest.mark.parametrize("path", ["/qiyi/desk", "/qiyi/choices", "/qiyi/static/desk.js", "/nothing"])
def test_no_answer_stays_in_a_cache(desk, path):
    for token in (f"Authorization: token {TOKEN}", "X-Nothing: x"):
        assert b"Cache-Control: no-store" in head_of(desk, f"GET {path} HTTP/1.1\r\n{token}")


def test_connections_are_limited(desk):
    host, _, port = desk.removeprefix("http://").partition(":")
    open_ones: list[socket.socket] = []
    try:
        for _ in range(110):
            open_ones.append(socket.create_connection((host, int(port)), timeout=5))
        open_ones[-1].settimeout(5)
        assert open_ones[-1].recv(1) == b""
    finally:
        for one in open_ones:
            one.close()
    time.sleep(0.5)
    assert ask(f"{desk}/qiyi/choices")[0] == 200


def test_files_whose_safe_names_are_equal_are_both_kept(tmp_path):
    from qiyi_analysis.app.desk.handlers import _store

    sent = [{"filename": name, "body": name.encode()} for name in ("a:b.trf", "a*b.trf")]
    folder = _store(sent, tmp_path / "event")
    assert sorted(path.read_bytes() for path in folder.iterdir()) == [b"a*b.trf", b"a:b.trf"]


def test_the_server_listens_on_the_loopback_only(desk):
    host = socket.gethostname()
    port = int(desk.rpartition(":")[2])
    try:
        other = socket.gethostbyname(host)
    except OSError:
        pytest.skip("this machine has no other address")
    if other.startswith("127."):
        pytest.skip("this machine has no other address")
    with socket.socket() as probe:
        probe.settimeout(3)
        assert probe.connect_ex((other, port)) != 0


def test_another_host_name_is_refused(desk):
    request = urllib.request.Request(
        f"{desk}/qiyi/choices", headers={"Authorization": f"token {TOKEN}", "Host": "evil.example"}
    )
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request, timeout=10)
    assert error.value.code == 403


def test_an_event_is_audited_and_its_files_can_be_fetched(desk):
    status, body = ask(f"{desk}/qiyi/audit", event_files())
    answer = json.loads(body)
    assert status == 200
    assert answer["verdict"] == "accept"
    assert [p["change"] for p in answer["players"]][:2] == ["10.00", "-11.20"]
    for kind, start in (("pdf", b"%PDF"), ("xlsx", b"PK"), ("html", b"<!"), ("json", b"{")):
        status, content = ask(f"{desk}/qiyi/file?id={answer['id']}&kind={kind}")
        assert status == 200
        assert content.lstrip().startswith(start)
        if kind == "html":
            assert "某市棋类协会" in content.decode("utf-8")
    status, body = ask(f"{desk}/qiyi/player?id={answer['id']}&number=3")
    told = json.loads(body)
    assert "5.56" in told.get("text", ""), told
    assert ask(f"{desk}/qiyi/file?id={answer['id']}&kind=../../etc/passwd")[0] == 404
    assert ask(f"{desk}/qiyi/file?id=unknown&kind=pdf")[0] == 404
    assert ask(f"{desk}/qiyi/player?id={answer['id']}&number=--help")[0] == 400


def bomb() -> bytes:
    """A small archive that unpacks to 300 MB."""
    stream = io.BytesIO()
    block = b"0" * (1 << 20)
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("event.trf", "w", force_zip64=True) as member,
    ):
        for _ in range(300):
            member.write(block)
    return stream.getvalue()


NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "source": "import os"}], "nbformat": 4}).encode()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("../../x", b"nothing", "文件名中不允许有文件夹"),
        ("/etc/x.trf", b"nothing", "文件名中不允许有文件夹"),
        ("notebook.ipynb", NOTEBOOK, "笔记本"),
        ("page.html", b"<html><script>alert(1)</script></html>", "没有找到比赛"),
        ("empty.trf", b"", "文件是空的"),
        ("report.pdf", b"%PDF-1.7 ...", "PDF"),
        ("jobs.csv", b"command,input\naudit,x\n", "没有找到比赛"),
        pytest.param("bomb.zip", None, "解压后大得不合理", id="zip bomb"),
    ],
)
def test_what_is_no_event_is_refused_with_a_message(desk, name, content, says):
    status, body = ask(f"{desk}/qiyi/audit", [("event", name, bomb() if content is None else content)])
    refusal = json.loads(body)["error"]
    assert status == 200
    assert says in refusal["zh"], refusal
    assert refusal["en"]
    # The reader's own sentence tells the rest.
    assert "Traceback" not in refusal["detail"]
    assert "a fault of the program" not in refusal["detail"]


def test_an_upload_without_a_file_or_with_too_many_is_refused(desk):
    _, body = ask(f"{desk}/qiyi/audit", [("other", "x.trf", b"x")])
    assert json.loads(body)["error"]["zh"] == "没有收到文件。"
    _, body = ask(f"{desk}/qiyi/audit", [("event", f"{i}.trf", b"x") for i in range(41)])
    assert "40" in json.loads(body)["error"]["en"]


def test_one_gigabyte_is_refused_before_it_is_sent(desk):
    """The announced length is enough to be turned away; not a megabyte is taken."""
    host, _, port = desk.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(
            f"POST /qiyi/audit HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: token {TOKEN}\r\n"
            f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {1 << 30}\r\n\r\n".encode()
        )
        answered = connection.recv(4096)
    assert b"200" not in answered.split(b"\r\n")[0]


def test_an_upload_that_is_too_large_is_cut_off(desk):
    try:
        status, _ = ask(f"{desk}/qiyi/audit", [("event", "large.trf", b"0" * (65 << 20))])
    except (OSError, urllib.error.URLError):
        return  # the connection was closed while sending
    assert status in (400, 413)


def dropped(browser, waiting, files: list[tuple[str, bytes]]) -> str:
    """Drop files on the page and return what the verdict line says then."""
    # A drop is a DataTransfer with files; the browser builds them from the bytes handed over here.
    browser.execute_script(
        """
        const transfer = new DataTransfer();
        for (const [name, content] of arguments[0]) {
          const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
          transfer.items.add(new File([bytes], name));
        }
        const zone = document.getElementById("drop");
        document.getElementById("result").hidden = true;
        zone.dispatchEvent(new DragEvent("dragover", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        zone.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        """,
        [[name, base64.b64encode(content).decode()] for name, content in files],
    )
    waiting.until(lambda b: b.find_element("id", "result").is_displayed())
    return browser.find_element("id", "verdict").text


def test_a_browser_drops_a_file_and_reads_the_verdict(browser, desk):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    waiting = WebDriverWait(browser, 120)
    browser.get(f"{desk}/qiyi/desk?token={TOKEN}")
    browser.find_element(By.ID, "zh").click()
    verdict = dropped(browser, waiting, [(name, body) for _, name, body in event_files()])
    assert verdict.endswith("通过"), verdict
    assert "6 名可计算的棋手中 6 名已算出升降值" in browser.find_element(By.ID, "detail").text
    assert "fide/rating-standard/2009-07-01" in browser.find_element(By.ID, "used").text
    rows = browser.find_elements(By.CSS_SELECTOR, "#players tbody tr.player")
    assert len(rows) == 6
    rows[2].click()
    working = waiting.until(
        lambda b: next(
            (e.text for e in b.find_elements(By.CSS_SELECTOR, "tr.working pre") if "5.56" in e.text), None
        )
    )
    assert "8.1.2" in working
    search = browser.find_element(By.ID, "search")
    search.send_keys("carlsen")
    assert [row.is_displayed() for row in rows].count(True) == 1
    search.clear()
    assert browser.find_element(By.ID, "download-pdf").get_attribute("href").startswith(desk)
    browser.find_element(By.ID, "en").click()
    assert "Drop an event file here" in browser.find_element(By.ID, "drop").text
    assert browser.find_element(By.ID, "verdict").text.endswith("accept")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True},
    )
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    # Where nothing can be calculated the page says so, and not that the event is accepted.
    unrated = b"number,name,r1\n1,Ann,2w1\n2,Bea,1b0\n"
    assert dropped(browser, waiting, [("unrated.csv", unrated)]).endswith("not enough to judge")
    # Both sides of a game won: the page marks whom the questions speak of.
    dropped(browser, waiting, [("both.csv", unrated.replace(b"1b0", b"1b1"))])
    assert browser.find_elements(By.CSS_SELECTOR, "#players tr.marked")
    # Markup in a file is never markup on the page, and what is no event is refused in words.
    refusal = dropped(
        browser, waiting, [("page.html", b"<html><script>document.title='taken'</script></html>")]
    )
    assert "No event was found in the file" in refusal
    assert browser.title != "taken"
    browser.find_element(By.ID, "zh").click()
    assert "没有找到比赛" in browser.find_element(By.ID, "verdict").text
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not severe, severe


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system closes windows otherwise")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_ended_desk_leaves_nothing(tmp_path, name):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "qiyi_analysis", "desk", "--no-browser", "--port", str(port)],
        env={**os.environ, "TMPDIR": str(tmp_path), "QIYI_DESK_TOKEN": TOKEN},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        process.stdout.readline()
        assert list(tmp_path.iterdir())
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=5)
    finally:
        process.kill()
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir())
