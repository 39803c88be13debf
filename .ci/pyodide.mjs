// Run the core of the suite in WebAssembly, as in a browser: Pyodide under Node.
//
//     npm install --no-save pyodide
//     python -m pip wheel --no-deps --wheel-dir dist .
//     python -m pip download --no-deps --platform any --only-binary :all: --dest dist \
//         hypothesis sortedcontainers xlsxwriter
//     node .ci/pyodide.mjs dist
//
// First every module of the wheel is compiled by Pyodide's Python, its warnings being errors. Then
// NumPy, pandas, SciPy, statsmodels and pytest are fetched, built for WebAssembly, from where
// Pyodide has them; without a network it ends here, with status 3.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadPyodide } from "pyodide";

const NEEDED = ["numpy", "pandas", "scipy", "statsmodels", "pytest"];
const CORE = ["tests/coefficients", "tests/ratings", "tests/test_accessor.py"];

const folder = resolve(process.argv[2] ?? "dist");
const python = await loadPyodide();
const wheels = readdirSync(folder).filter((name) => name.endsWith("-none-any.whl"));
for (const name of wheels) {
  python.unpackArchive(new Uint8Array(readFileSync(join(folder, name))), "wheel");
}
console.log(python.runPython("import sys; f'Python {sys.version}'"));
console.log(`unpacked: ${wheels.join(", ")}`);

console.log(
  python.runPython(`
import importlib.util, pathlib, warnings

root = pathlib.Path(importlib.util.find_spec("pdkappa").origin).parent
modules = sorted(root.rglob("*.py"))
with warnings.catch_warnings():
    warnings.simplefilter("error")
    for module in modules:
        compile(module.read_text(encoding="utf-8"), str(module), "exec")
f"{len(modules)} modules of pdkappa are compiled"
`),
);

let missing = "";
await python.loadPackage(NEEDED, {
  messageCallback: () => {},
  errorCallback: (text) => (missing ||= text),
});
if (!python.runPython("importlib.util.find_spec('numpy') is not None")) {
  console.error(`The packages built for WebAssembly could not be fetched: ${missing}`);
  process.exit(3);
}

python.mountNodeFS("/tree", resolve("."));
process.exit(
  python.runPython(`
import os, pytest

os.chdir("/tree")
options = ["-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib", "-m", "not oracle"]
int(pytest.main([*options, *${JSON.stringify(CORE)}]))
`),
);
