import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openS3Bucket } from "../../src/blobs/s3-bucket.ts";
import { type FaultySwift, startFaultySwift } from "../support/faulty-swift.ts";
import { makeFolder } from "../support/folder.ts";
import { s3Settings, swiftMissing } from "../support/swift.ts";
import { assertFinding, consult, type Report } from "./support.ts";

const SITE = "http://localhost:8080";

/** decisions, "Command line" (doctor), "Storage". */
describe("doctor on an S3 store", { skip: swiftMissing }, () => {
  let swift: FaultySwift;
  let bucket: string;
  before(async () => {
    swift = await startFaultySwift({ pageOrigin: SITE });
    bucket = await swift.createBucket();
  });
  after(() => swift[Symbol.asyncDispose]());

  async function consultStore(env: Readonly<Record<string, string>> = {}): Promise<Report> {
    await using folder = await makeFolder();
    return await consult(folder.path, {
      FILEHOST_URL: SITE,
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
  const s3Lines = ({ findings }: Report): string[] =>
    findings.filter(({ what }) => what.startsWith("S3")).map(({ status, what }) => `${status} ${what}`);

  test("that is healthy: all of it is tried and found well, and nothing stays there", { timeout: 60_000 }, async () => {
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
    assertFinding(report.find("S3 clock"), "ok", /agree/);
    assertFinding(report.find("S3 CORS"), "ok", /pages of http:\/\/localhost:8080 may send parts, and see their ETag/);
    assertFinding(report.find("S3 uploads"), "ok", /pass through this server: the store does not hold parts against their digest/);
    await assertNothingLeft();
  });

  test("with a wrong secret, which is not printed", { timeout: 60_000 }, async () => {
    const report = await consultStore({ FILEHOST_S3_SECRET_ACCESS_KEY: "not-what-it-should-be" });
    assertFinding(report.find("S3 bucket"), "fail", /SignatureDoesNotMatch/, /FILEHOST_S3_SECRET_ACCESS_KEY/);
    assert.deepEqual(s3Lines(report).at(-1), "fail S3 bucket");
    assert.ok(!report.printed.includes("not-what-it-should-be"));
  });

  test("without a key", { timeout: 60_000 }, async () => {
    const none = {
      FILEHOST_S3_ACCESS_KEY_ID: "",
      FILEHOST_S3_SECRET_ACCESS_KEY: "",
      HOME: "/nonexistent",
      AWS_EC2_METADATA_DISABLED: "true",
    };
    assertFinding((await consultStore(none)).find("S3 credentials"), "fail", /there is no key/, /FILEHOST_S3_ACCESS_KEY_ID/);
  });

  test("without the bucket", { timeout: 60_000 }, async () => {
    const finding = (await consultStore({ FILEHOST_S3_BUCKET: "missing" })).find("S3 bucket");
    assertFinding(finding, "fail", /there is no bucket missing \(NoSuchBucket\)/, /s3api create-bucket --bucket missing/);
  });

  test("that is not there, or hangs", { timeout: 60_000 }, async () => {
    const gone = await consultStore({ FILEHOST_S3_ENDPOINT: "http://127.0.0.1:1" });
    assert.deepEqual(s3Lines(gone), ["fail S3 store"]);
    assertFinding(gone.find("S3 store"), "fail", /127\.0\.0\.1:1 does not answer: nothing listens there/, /FILEHOST_S3_ENDPOINT/);
    swift.pause();
    try {
      assertFinding((await consultStore()).find("S3 store"), "fail", /no answer in time/);
    } finally {
      swift.resume();
    }
  });

  test("that browsers cannot reach, although downloads are redirected there", { timeout: 60_000 }, async () => {
    const site = { FILEHOST_URL: "https://files.example.org" };
    const report = await consultStore(site);
    assertFinding(
      report.find("S3 address"),
      "warn",
      /reached from this machine alone, unlike https:\/\/files/,
      /FILEHOST_S3_DOWNLOADS=proxy/,
    );
    assert.ok(!s3Lines(await consultStore({ ...site, FILEHOST_S3_DOWNLOADS: "proxy" })).includes("warn S3 address"));
  });

  test("to which parts are to go straight, from pages that it does not know", { timeout: 60_000 }, async () => {
    const direct = { FILEHOST_S3_UPLOADS: "direct" };
    const known = await consultStore(direct);
    assertFinding(known.find("S3 uploads"), "warn", /straight to a store that does not hold parts against their digest/, /=auto/);
    assertFinding(known.find("S3 CORS"), "ok", /may send parts, and see their ETag/);
    const unknown = await consultStore({
      ...direct,
      FILEHOST_URL: "http://127.0.0.1:8080",
      FILEHOST_ALLOWED_ORIGINS: "https://friend.example.org",
    });
    const finding = unknown.find("S3 CORS");
    assertFinding(
      finding,
      "fail",
      /browsers at http:\/\/127\.0\.0\.1:8080 cannot send parts to the store: it answers the preflight with status 401/,
    );
    const [, json = ""] = /--cors-configuration '(.*)'$/m.exec(finding.mend ?? "") ?? [];
    assert.deepEqual(JSON.parse(json).CORSRules[0].AllowedOrigins, ["http://127.0.0.1:8080", "https://friend.example.org"]);
    const proxied = await consultStore({ FILEHOST_S3_UPLOADS: "proxy", FILEHOST_URL: "http://127.0.0.1:8080" });
    assertFinding(proxied.find("S3 CORS"), "ok", /not needed: parts pass through this server/);
    await assertNothingLeft();
  });

  test("whose clock is another", { timeout: 60_000 }, async () => {
    for (const [minutes, status, says] of [
      [20, "fail", /20 minutes behind.*refuses what is signed more than 15 minutes off/],
      [-20, "fail", /20 minutes ahead of/],
      [2, "warn", /2 minutes behind.*valid for a minute/],
    ] as const) {
      swift.proxy.decide = () => ({ answerHeaders: { date: new Date(Date.now() + minutes * 60_000).toUTCString() } });
      const report = await consultStore({ FILEHOST_S3_ENDPOINT: swift.proxy.url });
      assertFinding(report.find("S3 clock"), status, says, /timedatectl/);
    }
  });

  test("that does not allow what it should: each is named, the rest is tried, and nothing stays there", { timeout: 60_000 }, async () => {
    swift.proxy.decide = ({ method, url }) => {
      if (method === "GET" && url.includes("X-Amz-Signature")) return { status: 403 };
      if (method === "PUT" && url.includes("/quarantine/")) return { status: 403 };
      return undefined;
    };
    const report = await consultStore({ FILEHOST_S3_ENDPOINT: swift.proxy.url });
    assertFinding(report.find("S3 presigned GET"), "fail", /refused with status 403/, /FILEHOST_S3_DOWNLOADS=proxy/);
    assertFinding(report.find("S3 copy"), "fail", /not allowed to/, /"s3:PutObject"/);
    assertFinding(report.find("S3 presigned PUT"), "ok", /takes a part/);
    await assertNothingLeft();
    swift.proxy.decide = ({ method, url }) =>
      method === "PUT" && url.includes("/blobs/") && !url.includes("partNumber") ? { status: 403 } : undefined;
    assertFinding(
      (await consultStore({ FILEHOST_S3_ENDPOINT: swift.proxy.url })).find("S3 write"),
      "fail",
      /not allowed to/,
      /some\/where\/\*/,
    );
    await assertNothingLeft();
  });

  test("whose answer to a lifecycle rule matters", { timeout: 60_000 }, async () => {
    // Swift has no such rules: an answer as Amazon's reference shows it.
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
    const found = (await consultStore({ FILEHOST_S3_ENDPOINT: swift.proxy.url })).findings.filter(({ what }) => what === "S3 lifecycle");
    assert.deepEqual(
      found.map(({ status, detail }) => [status, /the rule (\w+)/.exec(detail)?.[1]]),
      [
        ["fail", "all"],
        ["warn", "uploads"],
      ],
    );
  });
});
