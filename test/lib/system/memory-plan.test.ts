import assert from "node:assert/strict";
import { totalmem } from "node:os";
import { describe, test } from "node:test";
import { readMemoryLimit } from "../../../src/lib/system/memory-limit.ts";
import { describeMemory, type MemoryPlan, memoryLimit, planMemory } from "../../../src/lib/system/memory-plan.ts";

const MB = 1024 ** 2;
const MACHINE = 8192 * MB;
const NO_LIMIT_V1 = "9223372036854771712\n";
const V2_MOUNT = "29 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate";
const V1_MOUNT = "40 1 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory";

const find = (files: Readonly<Record<string, string>>) =>
  readMemoryLimit({
    machineBytes: MACHINE,
    read(path) {
      const text = files[path];
      if (text === undefined) throw new Error("ENOENT");
      return text;
    },
  });

/** request limits, "Memory of the server". */
describe("the memory of the server", () => {
  const v2 = { "/proc/self/cgroup": "0::/system.slice/filehost.service\n", "/proc/self/mountinfo": V2_MOUNT };
  const v1 = { "/proc/self/cgroup": "4:memory:/docker/abc\n1:cpu:/\n0::/\n", "/proc/self/mountinfo": V1_MOUNT };
  const cases: readonly (readonly [name: string, files: Readonly<Record<string, string>>, megabytes: number])[] = [
    ["no control groups", {}, 8192],
    ["a group of version 2", { ...v2, "/sys/fs/cgroup/system.slice/filehost.service/memory.max": `${256 * MB}\n` }, 256],
    ["a group of version 2 without a limit", { ...v2, "/sys/fs/cgroup/system.slice/filehost.service/memory.max": "max\n" }, 8192],
    ["a group around it", { ...v2, "/sys/fs/cgroup/system.slice/memory.max": `${300 * MB}\n` }, 300],
    [
      "a limit that slows down",
      {
        ...v2,
        "/sys/fs/cgroup/system.slice/filehost.service/memory.max": `${512 * MB}\n`,
        "/sys/fs/cgroup/system.slice/filehost.service/memory.high": `${200 * MB}\n`,
      },
      200,
    ],
    [
      "a container that sees its groups alone",
      { "/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": V2_MOUNT, "/sys/fs/cgroup/memory.max": `${192 * MB}` },
      192,
    ],
    ["a group of version 1", { ...v1, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": `${256 * MB}\n` }, 256],
    ["a group of version 1 without a limit", { ...v1, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": NO_LIMIT_V1 }, 8192],
    [
      "a container of version 1, whose group is what is mounted",
      {
        "/proc/self/cgroup": "4:memory:/docker/abc\n",
        "/proc/self/mountinfo": "40 1 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes": `${128 * MB}`,
      },
      128,
    ],
    [
      "a mount at another folder, beside one of version 2",
      {
        "/proc/self/cgroup": "4:cpuset,memory:/a\n0::/\n",
        "/proc/self/mountinfo": `30 1 0:1 / /cg2 rw - cgroup2 none rw\n31 1 0:2 / /cg1 rw - cgroup none rw,cpuset,memory`,
        "/cg1/a/memory.limit_in_bytes": `${200 * MB}`,
      },
      200,
    ],
    ["a limit above the machine", { ...v2, "/sys/fs/cgroup/system.slice/filehost.service/memory.max": `${9000 * MB}` }, 8192],
    ["files that are not numbers", { ...v2, "/sys/fs/cgroup/system.slice/filehost.service/memory.max": "" }, 8192],
  ];
  for (const [name, files, megabytes] of cases)
    test(`is found: ${name}`, () => {
      assert.deepEqual(find(files), { bytes: megabytes * MB, source: megabytes === 8192 ? "machine" : "cgroup" });
    });

  test("is at most the memory of this machine", () => {
    assert.ok(memoryLimit.bytes > 0 && memoryLimit.bytes <= totalmem());
  });

  test("has full buffers from 1 GB on, and none that shrinks as memory grows", () => {
    const flat = (bytes: number): readonly number[] =>
      Object.values(planMemory(bytes)).flatMap((one) => (typeof one === "number" ? [one] : Object.values(one))) as number[];
    const withoutRest = ({ transfers: _, thumbnailPixels: __, ...buffers }: MemoryPlan) => buffers;
    assert.deepEqual(withoutRest(planMemory(64 * 1024 * MB)), withoutRest(planMemory(1024 * MB)));
    for (let megabytes = 16; megabytes < 2048; megabytes += 16) {
      const [less, greater] = [flat(megabytes * MB), flat((megabytes + 16) * MB)];
      for (const [index, value] of less.entries()) assert.ok(value > 0 && value <= (greater[index] ?? 0), `${megabytes} MB, ${index}`);
    }
  });

  test("reserves the memory of uploads that are received and that wait", () => {
    for (const megabytes of [192, 256, 512, 1024]) {
      const { transfers, diskWrites } = planMemory(megabytes * MB);
      const buffers = diskWrites.largeBuffers * MB + (diskWrites.smallBuffers * MB) / 8;
      const uploads = transfers.running * 2.8 * MB + transfers.waiting * 1.2 * MB;
      assert.ok(50 * MB + buffers + uploads <= megabytes * MB, `${megabytes} MB`);
    }
  });

  test("is described with its consequences, and a next step below 192 MB", () => {
    assert.equal(describeMemory({ bytes: 192 * MB, source: "machine" }).fix, undefined);
    const { detail, fix } = describeMemory({ bytes: 191 * MB, source: "cgroup" });
    assert.match(detail, /^191 MB of this control group .*9 uploads are received at the same time and 45 wait/);
    assert.match(fix ?? "", /at least 192 MB: MemoryMax/);
  });
});
