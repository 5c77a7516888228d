import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { ConfigError } from "../../src/errors.ts";

/** configuration, "Where a setting comes from": FILEHOST_STORAGE and FILEHOST_S3_…. */

const S3 = { FILEHOST_STORAGE: "s3", FILEHOST_S3_BUCKET: "files" };

test("uses the disk by default, whatever else is set", () => {
  const { config } = loadConfig({ FILEHOST_DATA: "/srv", FILEHOST_S3_BUCKET: "files" });
  assert.deepEqual(config.storage, { kind: "disk", dir: "/srv", minFreeBytes: 1024 ** 3 });
});

test("uses Amazon's store and the SDK's credentials without an endpoint and keys", () => {
  assert.deepEqual(loadConfig(S3).config.storage, {
    kind: "s3",
    endpoint: undefined,
    region: "us-east-1",
    bucket: "files",
    prefix: "",
    credentials: undefined,
    pathStyle: false,
    uploads: "auto",
    downloads: "redirect",
  });
});

test("uses another store by its endpoint, and does not show the secret", () => {
  const { config, settings } = loadConfig({
    ...S3,
    FILEHOST_S3_ENDPOINT: "http://127.0.0.1:8080/",
    FILEHOST_S3_REGION: "eu-1",
    FILEHOST_S3_PREFIX: "/a/b",
    FILEHOST_S3_ACCESS_KEY_ID: "id",
    FILEHOST_S3_SECRET_ACCESS_KEY: "very secret",
    FILEHOST_S3_DOWNLOADS: "proxy",
  });
  assert.deepEqual(config.storage, {
    kind: "s3",
    endpoint: "http://127.0.0.1:8080",
    region: "eu-1",
    bucket: "files",
    prefix: "a/b/",
    credentials: { accessKeyId: "id", secretAccessKey: "very secret" },
    pathStyle: true,
    uploads: "auto",
    downloads: "proxy",
  });
  assert.ok(!JSON.stringify(settings).includes("very secret"));
});

test("contradictory settings are refused by name", () => {
  for (const [env, message] of [
    [{ FILEHOST_STORAGE: "s3" }, /^FILEHOST_S3_BUCKET: set it/],
    [{ ...S3, FILEHOST_S3_ACCESS_KEY_ID: "id" }, /^FILEHOST_S3_ACCESS_KEY_ID and FILEHOST_S3_SECRET_ACCESS_KEY: set both or neither/],
    [{ ...S3, FILEHOST_S3_PREFIX: "a?b" }, /^FILEHOST_S3_PREFIX: use only letters/],
    [{ FILEHOST_STORAGE: "tape" }, /^FILEHOST_STORAGE: write disk or s3/],
  ] as const) {
    assert.throws(
      () => loadConfig(env),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
  }
});
