"""Makes the pictures of the officers' guides: `python tools/pictures.py`.

Needs Chromium with its driver and selenium for the page of the desk, pdftoppm (poppler) for pages of reports. The
event is the constructed one of this project with two published numbers changed, as if a result had been entered wrongly.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
TOKEN = "pictures"
PORT = 8791
LETTERHEAD = ROOT / "docs" / "letterhead"


def event_with_a_mistake(folder: Path) -> Path:
    """The constructed event, published as if the game of numbers 5 and 6 had been entered the other way round."""
    event = folder / "constructed-cca-2024"
    shutil.copytree(ROOT / "data" / "events" / "constructed-cca-2024", event)
    official = event / "official.csv"
    text = official.read_text(encoding="utf-8")
    for right, wrong in (
        ("5,2,4.5,3.66,+8.4,1708", "5,2,4.5,3.66,+3.4,1703"),
        ("6,5,4,4.30,-3.0,1755", "6,5,4,4.30,-13.0,1745"),
    ):
        assert right in text
        text = text.replace(right, wrong)
    official.write_text(text, encoding="utf-8")
    return event


def made_list(path: Path, day: str, change: int = 0) -> Path:
    """A rating list of sixty made-up players."""
    surnames, given = "赵钱孙李周吴郑王冯陈褚卫", ("一", "二", "三", "四", "五")
    rows = ["id,name,sex,unit,birth_year,title,rating"]
    for i in range(60):
        rating = 2380 - 17 * i + ((i * 37) % 23 - 11) * change
        title = "大师" if i < 6 else "一级棋士" if i < 30 else ""
        rows.append(
            f"D{i:03},{surnames[i % 12]}{given[i // 12]},{'w' if i % 4 == 3 else 'm'},{'东西南北'[i % 4]}区,"
            f"{1960 + (i * 7) % 50},{title},{rating}"
        )
    path = path / f"list-{day}.csv"
    path.write_text("\n".join([*rows, ""]), encoding="utf-8")
    return path


def qiyi(*arguments: str) -> None:
    """A command of the program; findings (exit code 1) are no failure."""
    code = subprocess.run(
        [sys.executable, "-m", "qiyi_analysis", *arguments], cwd=ROOT, timeout=300
    ).returncode
    if code > 1:
        raise SystemExit(f"qiyi {' '.join(arguments)}: {code}")


def pages(pdf: Path, name: str, numbers: range, width: int = 620) -> None:
    """Pages of a report as small pictures."""
    for number in numbers:
        done = subprocess.run(
            ["pdftoppm", "-png", "-f", str(number), "-l", str(number), "-scale-to-x", str(width), "-scale-to-y", "-1", str(pdf)],
            check=True, capture_output=True, timeout=60,
        )  # fmt: skip
        smaller(done.stdout, PICTURES / f"{name}-{number}.png")


@contextmanager
def desk() -> Iterator[str]:
    """A desk for the time of the pictures; gives its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "qiyi_analysis", "desk", "--no-browser", "--port", str(PORT)],
        env={**os.environ, "QIYI_DESK_TOKEN": TOKEN}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def browser(width: int = 1000, height: int = 900) -> Iterator[Any]:
    """A headless Chromium."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_page_load_timeout(60)
    driver.set_script_timeout(60)
    try:
        yield driver
    finally:
        driver.quit()


def drop(driver: Any, event: Path) -> None:
    """Drop the files of an event's folder on the page."""
    files = [[path.name, base64.b64encode(path.read_bytes()).decode()] for path in sorted(event.glob("*.*"))]
    driver.execute_script(
        """
        const transfer = new DataTransfer();
        for (const [name, content] of arguments[0]) {
          transfer.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name));
        }
        document.getElementById("drop").dispatchEvent(
          new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        """,
        files,
    )


def save(driver: Any, name: str) -> None:
    """A screenshot with as few colours as it needs, so that the file is small."""
    smaller(driver.get_screenshot_as_png(), PICTURES / f"{name}.png")


def smaller(png: bytes, path: Path) -> None:
    """Write a picture with 32 colours."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(32, dither=Image.Dither.NONE)
    picture.save(path, optimize=True)


def desk_pictures(event: Path) -> None:
    """The desk: empty, with a verdict and a player unfolded, in both languages."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    with desk() as address, browser() as driver:
        for language in ("zh", "en"):
            driver.get(address)
            driver.find_element(By.ID, language).click()
            driver.set_window_size(1000, 470)
            save(driver, f"desk-empty-{language}")
            drop(driver, event)
            waiting = WebDriverWait(driver, 120)
            waiting.until(lambda d: d.find_element(By.ID, "result").is_displayed())
            driver.find_elements(By.CSS_SELECTOR, "tr.player")[4].click()
            waiting.until(
                lambda d: (
                    len(d.find_element(By.CSS_SELECTOR, "tr.working pre").get_attribute("textContent")) > 5
                )
            )
            height = driver.execute_script("return document.documentElement.scrollHeight")
            driver.set_window_size(1000, height + 150)
            save(driver, f"desk-{language}")


def main() -> None:
    """All pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        event = event_with_a_mistake(folder)
        desk_pictures(event)
        letterhead = str(LETTERHEAD / "letterhead.toml")
        for language in ("zh", "en"):
            out = folder / language
            qiyi(
                "audit",
                str(event),
                "--out",
                str(out),
                "--language",
                language,
                "--letterhead",
                letterhead,
                "--formats",
                "pdf",
            )
            pages(next(out.glob("*.pdf")), f"audit-{language}", range(1, 3))
        before, now = made_list(folder, "2025-06-01"), made_list(folder, "2025-12-01", 1)
        qiyi(
            "publish",
            str(now),
            "--previous",
            str(before),
            "--out",
            str(folder),
            "--formats",
            "pdf",
            "--letterhead",
            letterhead,
        )
        pages(next(folder.glob("*-publication.pdf")), "publication", range(1, 3))
        period = ROOT / "data" / "periods" / "constructed-2025-12"
        qiyi(
            "list", "--rules", "fide/rating-standard", "--previous", str(period / "list-2025-11-01.csv"),
            "--events", str(period / "events"), "--published", str(period / "published-2025-12-01.csv"),
            "--period", "2025-12", "--out", str(folder / "list"), "--formats", "pdf",
        )  # fmt: skip
        pages(next((folder / "list").glob("*-report.pdf")), "list", range(1, 2))
    for picture in sorted(PICTURES.glob("*.png")):
        print(picture.name, picture.stat().st_size)


if __name__ == "__main__":
    main()
