import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openS3Bucket } from "../../src/blobs/s3/bucket.ts";
import { makeFolder } from "../support/folder.ts";
import { type FaultySwift, relaySwift, startFaultySwift } from "../support/services/faulty-swift.ts";
import { PAGE_ORIGIN, s3Settings, swiftMissing } from "../support/services/swift.ts";
import { describeUnless } from "../support/suite.ts";
import { assertResult, consult, type Report } from "./support.ts";

/** command line, "Commands" (doctor); storage, "Parts and an S3 store" and "Downloads from an S3 store". */
describeUnless(swiftMissing, "doctor on an S3 store", () => {
  let swift: FaultySwift;
  let bucket: string;
  before(async () => {
    swift = await startFaultySwift();
    bucket = await swift.createBucket({ forPages: true });
  });
  after(() => swift[Symbol.asyncDispose]());

  async function consultStore(env: Readonly<Record<string, string>> = {}): Promise<Report> {
    await using folder = await makeFolder();
    return await consult(folder.path, {
      FILEHOST_URL: PAGE_ORIGIN,
      FILEHOST_STORAGE: "s3",
      ...s3Settings(swift, bucket),
      FILEHOST_S3_PREFIX: "some/where",
      ...env,
    });
  }

  async function assertNothingLeft(): Promise<void> {
    await using opened = await openS3Bucket({ ...swift, bucket, prefix: "", credentials: swift, pathStyle: true });
    assert.deepEqual((await opened.s3.listObjectsV2({ Bucket: bucket })).Contents ?? [], []);
    assert.deepEqual((await opened.s3.listMultipartUploads({ Bucket: bucket })).Uploads ?? [], []);
  }

  /** What was found of the store, as `status what`. */
  const s3Lines = ({ results }: Report): string[] =>
    results.filter(({ what }) => what.startsWith("S3")).map(({ status, what }) => `${status} ${what}`);

  test("passes every check of a healthy store, and leaves no object", async () => {
    const report = await consultStore();
    assert.deepEqual(s3Lines(report), [
      "ok S3 store",
      "ok S3 clock",
      "ok S3 bucket",
      "ok S3 write",
      "ok S3 ranged read",
      "ok S3 presigned GET",
      "ok S3 copy",
      "ok S3 remove",
      "ok S3 presigned PUT",
      "ok S3 uploads",
      "ok S3 CORS",
      "ok S3 multipart",
      "ok S3 lifecycle",
    ]);
    assertResult(report.find("S3 clock"), "ok", /matches the store/);
    assertResult(report.find("S3 CORS"), "ok", /pages of http:\/\/localhost:8080 can send parts and read their ETag/);
    assertResult(report.find("S3 uploads"), "ok", /pass through the server: the store does not enforce the digests of parts/);
    await assertNothingLeft();
  });

  test("fails for a wrong secret without printing it", async () => {
    const report = await consultStore({ FILEHOST_S3_SECRET_ACCESS_KEY: "not-what-it-should-be" });
    assertResult(report.find("S3 bucket"), "fail", /SignatureDoesNotMatch/, /FILEHOST_S3_SECRET_ACCESS_KEY/);
    assert.deepEqual(s3Lines(report).at(-1), "fail S3 bucket");
    assert.ok(!report.printed.includes("not-what-it-should-be"));
  });

  test("fails if the access key is missing", async () => {
    const none = {
      FILEHOST_S3_ACCESS_KEY_ID: "",
      FILEHOST_S3_SECRET_ACCESS_KEY: "",
      HOME: "/nonexistent",
      AWS_EC2_METADATA_DISABLED: "true",
    };
    assertResult((await consultStore(none)).find("S3 credentials"), "fail", /there is no access key/, /FILEHOST_S3_ACCESS_KEY_ID/);
  });

  test("fails if the bucket does not exist", async () => {
    const result = (await consultStore({ FILEHOST_S3_BUCKET: "missing" })).find("S3 bucket");
    assertResult(result, "fail", /there is no bucket missing \(NoSuchBucket\)/, /s3api create-bucket --bucket missing/);
  });

  test("fails if the store is unreachable or hangs", async () => {
    const gone = await consultStore({ FILEHOST_S3_ENDPOINT: "http://127.0.0.1:1" });
    assert.deepEqual(s3Lines(gone), ["fail S3 store"]);
    assertResult(gone.find("S3 store"), "fail", /127\.0\.0\.1:1 does not respond: nothing listens there/, /FILEHOST_S3_ENDPOINT/);
    await using relay = await relaySwift(swift);
    relay.holdRequests(true);
    assertResult((await consultStore({ FILEHOST_S3_ENDPOINT: relay.url })).find("S3 store"), "fail", /no response in time/);
  });

  test("warns if downloads are redirected to a store that browsers cannot reach", async () => {
    const site = { FILEHOST_URL: "https://files.example.org" };
    const report = await consultStore(site);
    assertResult(
      report.find("S3 address"),
      "warn",
      /reachable only from this machine, unlike https:\/\/files/,
      /FILEHOST_S3_DOWNLOADS=proxy/,
    );
    assert.ok(!s3Lines(await consultStore({ ...site, FILEHOST_S3_DOWNLOADS: "proxy" })).includes("warn S3 address"));
  });

  test("fails if parts are sent directly without a CORS rule for the site", async () => {
    const direct = { FILEHOST_S3_UPLOADS: "direct" };
    const known = await consultStore(direct);
    assertResult(known.find("S3 uploads"), "warn", /directly to the store, which does not enforce the digests of parts/, /=auto/);
    assertResult(known.find("S3 CORS"), "ok", /can send parts and read their ETag/);
    const unknown = await consultStore({
      ...direct,
      FILEHOST_URL: "http://127.0.0.1:8080",
      FILEHOST_ALLOWED_ORIGINS: "https://friend.example.org",
    });
    const result = unknown.find("S3 CORS");
    assertResult(
      result,
      "fail",
      /browsers at http:\/\/127\.0\.0\.1:8080 cannot send parts to the store: it responds to the preflight with status 401/,
    );
    const [, json = ""] = /--cors-configuration '(.*)'$/m.exec(result.fix ?? "") ?? [];
    assert.deepEqual(JSON.parse(json).CORSRules[0].AllowedOrigins, ["http://127.0.0.1:8080", "https://friend.example.org"]);
    const proxied = await consultStore({ FILEHOST_S3_UPLOADS: "proxy", FILEHOST_URL: "http://127.0.0.1:8080" });
    assertResult(proxied.find("S3 CORS"), "ok", /not required: parts pass through the server/);
    await assertNothingLeft();
  });

  test("warns or fails if the store's clock differs", async () => {
    for (const [minutes, status, says] of [
      [20, "fail", /(?:20|19) minutes behind.*reject signatures that are more than 15 minutes off/],
      [-20, "fail", /20 minutes ahead of/],
      // The header has whole seconds, so the difference may be a little less.
      [2, "warn", /(?:2 minutes|11\d seconds) behind.*valid for only one minute/],
    ] as const) {
      swift.proxy.decide = () => ({ responseHeaders: { date: new Date(Date.now() + minutes * 60_000).toUTCString() } });
      const report = await consultStore({ FILEHOST_S3_ENDPOINT: swift.proxy.url });
      assertResult(report.find("S3 clock"), status, says, /timedatectl/);
    }
  });

  test("names each check that fails for lack of permissions, runs the others, and leaves no object", async () => {
    swift.proxy.decide = ({ method, url }) => {
      if (method === "GET" && url.includes("X-Amz-Signature")) return { status: 403 };
      if (method === "PUT" && url.includes("/quarantine/")) return { status: 403 };
      return undefined;
    };
    const report = await consultStore({ FILEHOST_S3_ENDPOINT: swift.proxy.url });
    assertResult(report.find("S3 presigned GET"), "fail", /rejected with status 403/, /FILEHOST_S3_DOWNLOADS=proxy/);
    assertResult(report.find("S3 copy"), "fail", /has no permission/, /"s3:PutObject"/);
    assertResult(report.find("S3 presigned PUT"), "ok", /accepts a part/);
    await assertNothingLeft();
    swift.proxy.decide = ({ method, url }) =>
      method === "PUT" && url.includes("/blobs/") && !url.includes("partNumber") ? { status: 403 } : undefined;
    assertResult(
      (await consultStore({ FILEHOST_S3_ENDPOINT: swift.proxy.url })).find("S3 write"),
      "fail",
      /has no permission/,
      /some\/where\/\*/,
    );
    await assertNothingLeft();
  });

  test("fails or warns if a lifecycle rule removes files or aborts uploads", async () => {
    // Swift has no lifecycle rules, so the response is the example of Amazon's reference.
    const rules = [
      ["all", "<Expiration><Days>30</Days></Expiration><Prefix></Prefix>"],
      [
        "uploads",
        "<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload><Prefix>some/where/blobs/</Prefix>",
      ],
      ["others", "<Expiration><Days>1</Days></Expiration><Prefix>logs/</Prefix>"],
    ].map(([id, body]) => `<Rule><ID>${id}</ID><Status>Enabled</Status>${body}</Rule>`);
    const body = `<LifecycleConfiguration>${rules.join("")}</LifecycleConfiguration>`;
    swift.proxy.decide = ({ url }) => (url.includes("?lifecycle") ? { status: 200, body } : undefined);
    const found = (await consultStore({ FILEHOST_S3_ENDPOINT: swift.proxy.url })).results.filter(({ what }) => what === "S3 lifecycle");
    assert.deepEqual(
      found.map(({ status, detail }) => [status, /the rule (\w+)/.exec(detail)?.[1]]),
      [
        ["fail", "all"],
        ["warn", "uploads"],
      ],
    );
  });
});
