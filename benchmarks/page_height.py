"""Measure the page of the README's report in headless Chromium: height, what is cut, printed pages.

    python benchmarks/page_height.py

Needs chromium, chromedriver and Selenium. Heights are in CSS pixels with all folds shut, and pages
those of A4.
"""

from __future__ import annotations

import base64
import re
import shutil
import tempfile
from pathlib import Path

import pdkappa  # registers df.kappa

BEFORE = {1280: 21_356, 390: 31_141}  # of 22 November 2026, on which 33 pages were printed
RATERS, PHONE = ["human_1", "human_2", "machine"], 500  # pixels
CUT = """
return [...document.querySelectorAll(".scroll")].filter((one) => one.checkVisibility()).filter(
  (one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1
).length;
"""


def main() -> None:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    essays = pdkappa.datasets.load_essays()
    report = essays.kappa.report(RATERS, by="essay_set", weights="quadratic")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    with tempfile.TemporaryDirectory() as folder:
        for flag in ("--headless=new", "--no-sandbox", f"--user-data-dir={folder}/profile"):
            options.add_argument(flag)
        page = report.to_html(Path(folder) / "report.html")
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        for width, before in BEFORE.items():
            screen = {"width": width, "height": 900, "deviceScaleFactor": 1}
            screen["mobile"] = width < PHONE
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            driver.get(page.as_uri())
            height = driver.execute_script("return document.documentElement.scrollHeight")
            n_cut = driver.execute_script(CUT)
            print(
                f"{width:5d} wide: {height:6,d} high, {height / before:.3f} of before; {n_cut} cut"
            )
        printed = driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
        pages = re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed["data"]))
        print(f"printed: {len(pages)} pages")
        driver.quit()


if __name__ == "__main__":
    main()
