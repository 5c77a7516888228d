import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { type Instance, LEASE_MS, listInstances, renewInstance } from "../src/db/instances.ts";
import { enqueueJob } from "../src/db/jobs.ts";
import { describeInstance, listLiving } from "../src/instance.ts";
import { freeDeadLeases } from "../src/jobs/free-the-dead.ts";
import { openProcesses, readJobs } from "./jobs/support.ts";

const NOW_MS = Date.now();
const skip = process.platform === "linux" ? false : "only the kernel of Linux tells when a process started";

async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** A process of this host as it registered itself, and its end. */
async function startOther(id: string): Promise<{ readonly instance: Instance; kill(): Promise<void> }> {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  return {
    instance: { ...describeInstance(id), pid, processStarted: await startOf(pid) },
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe("which processes live", () => {
  test("of another host: those whose lease runs", async () => {
    await using processes = await openProcesses();
    const [{ db }] = processes.ctxs;
    await renewInstance(db, { ...describeInstance("far"), host: "elsewhere" }, NOW_MS);
    assert.deepEqual([...(await listLiving(db, NOW_MS + LEASE_MS - 1))], ["far"]);
    assert.deepEqual([...(await listLiving(db, NOW_MS + LEASE_MS))], []);
  });

  test("of this host: those that are there, whatever their lease says", { skip }, async () => {
    await using processes = await openProcesses();
    const [{ db }] = processes.ctxs;
    const other = await startOther("other");
    await renewInstance(db, describeInstance("self"), NOW_MS);
    await renewInstance(db, other.instance, NOW_MS);
    assert.deepEqual([...(await listLiving(db, NOW_MS + 10 * LEASE_MS))].toSorted(), ["other", "self"]);
    await other.kill();
    assert.deepEqual([...(await listLiving(db, NOW_MS))], ["self"]);
  });

  test("a process that has got the pid of a dead one is not taken for it", { skip }, async () => {
    await using processes = await openProcesses();
    const [{ db }] = processes.ctxs;
    await renewInstance(db, { ...describeInstance("before"), processStarted: "1" }, NOW_MS);
    assert.deepEqual([...(await listLiving(db, NOW_MS))], []);
  });

  test("the jobs of a process that was killed are free at once, those of the living stay theirs", { skip }, async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { db } = ctx;
    const other = await startOther("other");
    await renewInstance(db, describeInstance("self"), NOW_MS);
    await renewInstance(db, other.instance, NOW_MS);
    for (const holder of ["self", "other"]) {
      await enqueueJob(db, { id: holder, kind: "work", subject: holder, runAtMs: NOW_MS, nowMs: NOW_MS });
      await db
        .updateTable("jobs")
        .set({ lease_holder: holder, lease_until: NOW_MS + LEASE_MS })
        .where("id", "=", holder)
        .execute();
    }
    const holders = async () => Object.values(await readJobs(ctx)).map(({ lease_holder }) => lease_holder);
    await freeDeadLeases(ctx);
    assert.deepEqual(await holders(), ["self", "other"]);
    await other.kill();
    await freeDeadLeases(ctx);
    assert.deepEqual(await holders(), ["self", null]);
    assert.deepEqual(
      (await listInstances(db)).map(({ id }) => id),
      ["self"],
    );
  });
});
