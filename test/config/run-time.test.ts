import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { formatLimit, parseRunTimeValue, RUN_TIME_NAMES, type RunTimeName, runTimeSetting } from "../../src/config/run-time.ts";
import { ConfigError } from "../../src/errors.ts";

/** Values at and beyond the bounds of every kind. */
const VALUES = ["0", "1", "9", "10", "-1", "1.5", "1000000000", "1000000001", "many", "0d", "4m", "5m", "1GB", "1024TB", "1025TB"];

/** Whether the environment takes `text` as this setting's value. */
function isTakenFromEnvironment(name: RunTimeName, text: string): boolean {
  const place = runTimeSetting(name);
  const member = place.setting === "LIMITS" && place.kind === "count" && /^-?[\d.]+$/.test(text) ? Number(text) : text;
  const value =
    place.setting === "LIMITS" ? JSON.stringify(place.path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), member)) : text;
  try {
    loadConfig({ [`FILEHOST_${place.setting}`]: value });
    return true;
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return false;
  }
}

/** configuration, "Settings in the database" and "Limits that the administrator sets" */
describe("a setting that can be changed while the server runs", () => {
  it("is refused in the environment where it is refused in the database", () => {
    // The environment has the name of the logo's file, the database its bytes.
    for (const name of RUN_TIME_NAMES.filter((name) => name !== "logo")) {
      for (const text of VALUES)
        assert.equal(isTakenFromEnvironment(name, text), !("problem" in parseRunTimeValue(name, text)), `${name}=${text}`);
    }
  });

  it("says which general rate would lock everybody out, and the least one", () => {
    for (const rate of ["anonymous", "free", "pro"]) {
      const load = (limit: number) => loadConfig({ FILEHOST_LIMITS: JSON.stringify({ rates: { [rate]: limit } }) });
      assert.throws(() => load(9), { message: `FILEHOST_LIMITS: rates.${rate}: write a whole number from 10 to 1000000000` });
      assert.doesNotThrow(() => load(10));
    }
  });

  it("is shown in the largest unit that is exact, which parses to the same value", () => {
    for (const [kind, value, text] of [
      ["size", 1.5 * 1024 ** 3, "1.5GB"],
      ["size", 500 * 1024 ** 2, "500MB"],
      ["size", 1024 ** 3 + 1, "1073741825"],
      ["size", 1100 * 1024 ** 2, "1100MB"],
      ["size", 0, "0"],
      ["duration", 7 * 86_400_000, "7d"],
      ["duration", 301_000, "301s"],
      ["count", 3, "3"],
    ] as const)
      assert.equal(formatLimit(kind, value), text);
  });

  it("takes durations and sizes in each unit, and refuses others in one wording", () => {
    assert.deepEqual(parseRunTimeValue("tiers.free.retention", "3600s"), {
      limits: { tiers: { free: { retention: 3_600_000 } } },
      shown: "3600s",
    });
    for (const text of ["2 weeks", "4m", "20"])
      assert.deepEqual(parseRunTimeValue("tiers.free.retention", text), {
        problem: "write a duration such as 30s, 12h or 7d, at least 5m",
      });
    for (const text of ["much", "1025TB"])
      assert.deepEqual(parseRunTimeValue("tiers.free.fileBytes", text), {
        problem: "write a size such as 500MB or 2GB, at most 1024TB",
      });
    assert.deepEqual(parseRunTimeValue("rates.anonymous", "0"), { problem: "write a whole number from 10 to 1000000000" });
  });
});
