import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import type { Upload } from "../support/api/api.ts";
import { startOnS3 } from "../support/servers/s3.ts";
import { type HeldPut, holdPut } from "../support/uploads/held-put.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const memoryOf = ({ pid }: TestServer): number => {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? assert.fail()) * 1024;
};

/** request limits, "Direct uploads on S3". */
describeUnless(swiftMissing, "memory of direct uploads to a server on S3", () => {
  let swift: TestSwift;
  before(async () => {
    swift = await joinSwift();
  });

  test("128 slow uploads from one address use bounded memory, do not delay other addresses, and complete", {
    skip: longSkipped,
  }, async () => {
    await using server = await startOnS3(swift, { env: { FILEHOST_TRUSTED_PROXIES: "127.0.0.1" } });
    const put = async (address: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
      const headers = { Accept: "application/json", ...fromAddress(address) };
      const response = await fetch(`${server.url}/file.bin`, { method: "PUT", body: bytes, headers });
      const { data } = (await response.json()) as { data: Upload };
      assert.equal(response.status, 200);
      return data.id;
    };
    const bytes = someBytes(8 * MB);
    await put("203.0.113.9", bytes);
    const before = memoryOf(server);
    const held = Array.from({ length: 128 }, () =>
      holdPut(`${server.url}/slow.bin`, bytes, { Accept: "application/json", ...fromAddress("203.0.113.1") }),
    );
    const refused = new Map<HeldPut, number>();
    const arrived = new Set<HeldPut>();
    for (const one of held) {
      void one.refused.then((status) => refused.set(one, status));
      void one.sent.then(() => arrived.add(one));
    }
    try {
      await until(
        "all but a few are sent up to their last bytes, or are refused",
        () => held.filter((one) => arrived.has(one) || refused.has(one)).length >= 116,
        { deadlineMs: 120_000 },
      );
      const files = Array.from({ length: 6 }, (_, n) => someBytes(8 * MB, n));
      const ids = await Promise.all(files.map((file) => put("203.0.113.2", file)));
      for (const [n, id] of ids.entries()) assert.equal(await downloadDigest(server, id), sha256(files[n] ?? ""));
      const grown = memoryOf(server) - before;
      assert.ok(grown < 400 * MB, `${Math.round(grown / MB)} MB`);
      // A client that was still sending may lose the response with its connection.
      const statuses = new Set(refused.values());
      statuses.delete(0);
      assert.deepEqual([...statuses], refused.size === 0 ? [] : [503]);
      assert.ok(arrived.size >= 80, `${arrived.size} have been sent`);
      const taken = held.filter((one) => arrived.has(one) && !refused.has(one)).slice(0, 20);
      const last = await Promise.all(taken.map((one) => one.finish()));
      assert.deepEqual(new Set(last.map(({ status }) => status)), new Set([200]));
    } finally {
      for (const one of held) one.cut();
    }
    const id = await until("the memory of that address is free again", () => put("203.0.113.1", bytes));
    assert.equal(await downloadDigest(server, id), sha256(bytes));
  });
});
