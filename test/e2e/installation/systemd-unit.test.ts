import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { blocksBelow } from "../../support/documents.ts";
import { makeFolder } from "../../support/folder.ts";
import { pngOf } from "../../support/formats/images.ts";
import { startUnit, systemdMissing } from "../../support/machine/systemd.ts";
import { reservePort } from "../../support/network/free-ports.ts";
import { clamdMissing, joinClamd } from "../../support/services/clamd.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { sha256, someBytes } from "../support/uploads/multipart.ts";
import { downloadDigest, putFile } from "../support/uploads/transfers.ts";

const [unit, environment] = blocksBelow("docs/deploy.md", "systemd").map(({ text }) => text);

/** In tenths, as `--threshold` takes it: systemd calls up to 2.0 "OK". */
const MAX_EXPOSURE = 20;

const analyzeMissing =
  spawnSync("systemd-analyze", ["--version"]).status === 0 ? undefined : "systemd-analyze is not installed (Debian: systemd)";

describeUnless(analyzeMissing, "the unit in docs/deploy.md", () => {
  test("limits the rights of the server", async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, "filehost.service");
    await writeFile(path, unit ?? "");
    const arguments_ = ["security", "--offline=true", `--threshold=${MAX_EXPOSURE}`, "--no-pager", path];
    const { status, stdout, stderr } = spawnSync("systemd-analyze", arguments_, { encoding: "utf8" });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /Overall exposure level/);
  });
});

describeUnless(systemdMissing ?? clamdMissing, "the unit in docs/deploy.md, with systemd", () => {
  test("receives, scans, previews and sends files, without rights of root", async () => {
    const port = await reservePort();
    const { tcp } = await joinClamd();
    const clamd = tcp.kind === "tcp" ? `tcp:${tcp.host}:${tcp.port}` : assert.fail();
    const added = `FILEHOST_LISTEN=127.0.0.1:${port}\nFILEHOST_URL=http://127.0.0.1:${port}\nFILEHOST_CLAMD=${clamd}\nFILEHOST_MIN_FREE=0\n`;
    await using running = await startUnit({ unit: unit ?? "", environment: (environment ?? "") + added });
    const pid = await running.pid();
    const server = { url: `http://127.0.0.1:${port}` };
    await until("it listens", () =>
      fetch(`${server.url}/health`).then(
        ({ ok }) => ok || undefined,
        () => undefined,
      ),
    );
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    for (const line of [/^Uid:\t64123\t/m, /^CapBnd:\t0+$/m, /^NoNewPrivs:\t1$/m, /^Seccomp:\t2$/m]) assert.match(status, line);

    const bytes = someBytes(1_000_000, 3);
    const file = await putFile(server, "/a.bin", bytes);
    await until("it is scanned", async () => (await getShare(server, file.shortId)).scanStatus === "clean" || undefined);
    assert.equal(await downloadDigest(server, file.id), sha256(bytes));

    // A child process makes it.
    const image = await putFile(server, "/a.png", pngOf(600, 400));
    const card = await until("the thumbnail is made", async () => {
      const response = await fetch(`${server.url}/d/${image.shortId}/card.webp`);
      return response.ok ? response : undefined;
    });
    assert.equal(card.headers.get("content-type"), "image/webp");

    process.kill(pid, "SIGTERM");
    await until("it has ended", () => !existsSync(`/proc/${pid}`) || undefined);
  });
});
