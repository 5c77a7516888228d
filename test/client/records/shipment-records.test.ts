import assert from "node:assert/strict";
import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openShipmentRecords } from "../../../src/client/records/shipment-records.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { makeFolder } from "../../support/folder.ts";

const file = (path: string, id = path) => ({ path, version: "1", id });
const shipment = { shortId: "7kXq9Zab", shareUrl: "https://files.example.org/d/7kXq9Zab", expiresAt: null };

/** client up, "Continuing". */
describe("the records of a shipment", () => {
  it("is continued by the next process, without the files that were removed", async () => {
    await using folder = await makeFolder();
    const first = await openShipmentRecords(folder.path, "up");
    await first.save(shipment);
    await first.addSent([file("a"), file("b"), file("c")]);
    await first.removeSent(["a", "b"]);
    await first.addSent([file("b", "again")]);
    const second = await openShipmentRecords(folder.path, "up");
    assert.deepEqual(second.state, first.state);
    assert.deepEqual([...second.sent.values()], [file("c"), file("b", "again")]);
  });

  it("accepts no files of another shipment, when a process ends after the one that forgot it", async () => {
    await using folder = await makeFolder();
    const [first, slow] = [await openShipmentRecords(folder.path, "up"), await openShipmentRecords(folder.path, "up")];
    await first.addSent([file("a")]);
    await first.forget();
    await slow.addSent([file("b")]);
    const next = await openShipmentRecords(folder.path, "up");
    assert.notEqual(next.state.initKey, first.state.initKey);
    assert.equal(next.sent.size, 0);
    await next.addSent([file("c")]);
    await slow.forget();
    const continued = await openShipmentRecords(folder.path, "up");
    assert.deepEqual([continued.state, [...continued.sent.keys()]], [next.state, ["c"]]);
  });

  it("begins again without files when its file is damaged", async () => {
    await using folder = await makeFolder();
    const first = await openShipmentRecords(folder.path, "up");
    await first.addSent([file("a")]);
    await writeFile(join(folder.path, "up.json"), '{"initKey":', { mode: 0o600 });
    assert.equal((await openShipmentRecords(folder.path, "up")).sent.size, 0);
  });

  it("is removed after eight days", async () => {
    await using folder = await makeFolder();
    for (const id of ["old", "new"]) {
      const records = await openShipmentRecords(folder.path, id);
      await records.addSent([file("a")]);
    }
    for (const name of await readdir(folder.path)) {
      const time = new Date(Date.now() - (name.startsWith("old") ? 9 : 7) * DAY_MS);
      await utimes(join(folder.path, name), time, time);
    }
    assert.equal((await openShipmentRecords(folder.path, "new")).sent.size, 1);
    assert.deepEqual(
      (await readdir(folder.path)).filter((name) => name.startsWith("old")),
      [],
    );
  });
});
