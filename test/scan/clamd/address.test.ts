import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findClamdSocket, formatClamdAddress, parseClamdAddress } from "../../../src/scan/clamd/address.ts";
import { makeFolder } from "../../support/folder.ts";

/** scanning, "Whether a scanner is required". */
describe("clamd's address", () => {
  it("is parsed and formatted", () => {
    const cases = {
      "unix:/run/clamav/clamd.ctl": { kind: "unix", path: "/run/clamav/clamd.ctl" },
      "tcp:clamd:3310": { kind: "tcp", host: "clamd", port: 3310 },
      "tcp:127.0.0.1:65535": { kind: "tcp", host: "127.0.0.1", port: 65_535 },
      "tcp:[::1]:3310": { kind: "tcp", host: "::1", port: 3310 },
    } as const;
    for (const [text, address] of Object.entries(cases)) {
      assert.deepEqual(parseClamdAddress(text), address);
      assert.equal(formatClamdAddress(address), text);
    }
  });

  it("is refused with a hint if it is invalid", () => {
    const wrong = [
      "",
      "clamd",
      "/run/clamd.ctl",
      "unix:relative",
      "unix:",
      "tcp:host",
      "tcp::3310",
      "tcp:host:0",
      "tcp:host:65536",
      "tcp:::1:3310",
    ];
    for (const text of wrong) assert.throws(() => parseClamdAddress(text), /write unix:\/path\/to\/socket or tcp:host:port/, text);
  });

  it("is found at the first path with a socket", async () => {
    await using folder = await makeFolder();
    const [absent, file, socket] = ["absent", "file", "socket"].map((name) => join(folder.path, name)) as [string, string, string];
    await writeFile(file, "");
    const server = createServer().listen(socket);
    await once(server, "listening");
    assert.deepEqual(await findClamdSocket([absent, file, socket]), { kind: "unix", path: socket });
    assert.equal(await findClamdSocket([absent, file]), undefined);
    server.close();
    await once(server, "close");
  });
});
