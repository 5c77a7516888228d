import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import {
  describeThisInstance,
  type Instance,
  LEASE_MS,
  listLiveInstances,
  reclaimLeases,
  renewInstance,
} from "../../src/jobs/instances.ts";
import { enqueueJob } from "../../src/jobs/queue.ts";
import { openProcesses, readJobs } from "./support.ts";

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
    instance: { ...describeThisInstance(id), pid, processStarted: await startOf(pid) },
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe("the list of live instances", () => {
  test("contains instances of another host whose lease has not expired", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await renewInstance(ctx, { ...describeThisInstance("far"), host: "elsewhere" });
    processes.clock.nowMs += LEASE_MS - 1;
    assert.deepEqual([...(await listLiveInstances(ctx))], ["far"]);
    processes.clock.nowMs += 1;
    assert.deepEqual([...(await listLiveInstances(ctx))], []);
  });

  test("contains the running processes of this host, whatever their lease says", { skip }, async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const other = await startOther("other");
    await renewInstance(ctx, describeThisInstance("self"));
    await renewInstance(ctx, other.instance);
    processes.clock.nowMs += 10 * LEASE_MS;
    assert.deepEqual([...(await listLiveInstances(ctx))].toSorted(), ["other", "self"]);
    await other.kill();
    assert.deepEqual([...(await listLiveInstances(ctx))], ["self"]);
  });

  test("distinguishes a process that reuses the pid of a stopped instance", { skip }, async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await renewInstance(ctx, { ...describeThisInstance("before"), processStarted: "1" });
    assert.deepEqual([...(await listLiveInstances(ctx))], []);
  });

  test("the jobs of a killed process are reclaimed immediately, and none of a live one", { skip }, async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { db } = ctx;
    const other = await startOther("other");
    await renewInstance(ctx, describeThisInstance("self"));
    await renewInstance(ctx, other.instance);
    for (const holder of ["self", "other"]) {
      await enqueueJob(db, { id: holder, kind: "work", subject: holder, runAtMs: NOW_MS, nowMs: NOW_MS });
      await db
        .updateTable("jobs")
        .set({ lease_holder: holder, lease_until: NOW_MS + LEASE_MS })
        .where("id", "=", holder)
        .execute();
    }
    const holders = async () => Object.values(await readJobs(ctx)).map(({ lease_holder }) => lease_holder);
    await reclaimLeases(ctx);
    assert.deepEqual(await holders(), ["self", "other"]);
    await other.kill();
    await reclaimLeases(ctx);
    assert.deepEqual(await holders(), ["self", null]);
    assert.deepEqual(
      (await db.selectFrom("server_instances").select("id").execute()).map(({ id }) => id),
      ["self"],
    );
  });
});
