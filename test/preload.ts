import { plugin } from "bun";

/** For tests and hooks without a timeout; long enough for a busy machine. */
const DEFAULT_TIMEOUT_MS = 120_000;

// bunfig.toml has no such setting, and bun resets `setDefaultTimeout` before each file.
plugin({
  name: "default timeout of tests",
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: `import { setDefaultTimeout } from "bun:test"; setDefaultTimeout(${DEFAULT_TIMEOUT_MS}); ${await Bun.file(path).text()}`,
    }));
  },
});
