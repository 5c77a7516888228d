import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { startOrigin } from "../../support/origin-server.ts";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts.ts";
import { readEvents, type ServerEvent } from "../support/event-stream.ts";
import {
  type CreatedImport,
  createImport,
  getJob,
  type Job,
  jobPath,
  startImportingServer,
  startStalledOrigin,
  waitForBytes,
} from "../support/imports.ts";

/** `/files/remote-multipart/{jobId}/events`: imports, "Events of a job". */

let server: TestServer;

before(async () => {
  server = await startImportingServer();
});
after(() => server[Symbol.asyncDispose]());

const eventsOf = (created: CreatedImport, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + jobPath(created, "/events"), { headers });

const toJob = ({ data }: ServerEvent): Job => JSON.parse(data) as Job;

test("job events are sent until the job ends, at most four per second, and resume after Last-Event-ID", async () => {
  const { key } = await addAccount(server);
  const bytes = randomBytes(5_000_000);
  let release = (): void => {};
  await using origin = await startOrigin({
    "/slow.bin": (_request, response) => {
      response.writeHead(200, { "content-length": String(bytes.length) });
      let sent = 0;
      const drip = setInterval(() => {
        response.write(bytes.subarray(sent, sent + 1000));
        sent += 1000;
      }, 20);
      release = () => {
        clearInterval(drip);
        response.end(bytes.subarray(sent));
      };
    },
  });
  const created = await createImport(server, { url: `${origin.url}/slow.bin` }, key);
  await waitForBytes(server, created, 1000);

  // Before the request: on a busy machine the first events may have arrived when the response is looked at.
  const startedMs = performance.now();
  const response = await eventsOf(created);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const first: ServerEvent[] = [];
  for await (const event of readEvents(response)) if (first.push(event) === 5) break;
  assert.ok(performance.now() - startedMs >= 4 * 240);
  assert.ok(first.every(({ name }) => name === undefined));
  assert.deepEqual(Object.keys(toJob(first[0] ?? assert.fail())), Object.keys(await getJob(server, created)));
  const progress = first.map((event) => toJob(event).bytesDone);
  assert.deepEqual(
    progress,
    [...new Set(progress)].sort((a, b) => a - b),
  );

  const lastSeen = first.at(-1)?.id ?? assert.fail();
  const again = await eventsOf(created, { "Last-Event-ID": lastSeen });
  release();
  const rest = await Array.fromAsync(readEvents(again));
  assert.ok(rest.every(({ id }) => Number(id) > Number(lastSeen)));
  const end = toJob(rest.at(-1) ?? assert.fail());
  assert.deepEqual([end.status, end.percent, end.bytesDone], ["completed", 100, bytes.length]);
  assert.ok(rest.slice(0, -1).every((event) => toJob(event).status === "importing"));

  const late = await Array.fromAsync(readEvents(await eventsOf(created)));
  assert.deepEqual(
    late.map((event) => toJob(event).status),
    ["completed"],
  );
  assert.equal((await eventsOf(created, { "Last-Event-ID": rest.at(-1)?.id ?? "" })).status, 204);
});

test("a server that shuts down closes its event streams without waiting for their jobs", async () => {
  await using own = await startImportingServer();
  const { key } = await addAccount(own);
  await using origin = await startStalledOrigin();
  const created = await createImport(own, { url: `${origin.url}/a` }, key);
  await waitForBytes(own, created, 600);
  const events = Array.fromAsync(readEvents(await fetch(own.url + jobPath(created, "/events"))));
  await own.stop();
  // A server that waited would have sent the failure of the source.
  assert.ok((await events).every((event) => toJob(event).status === "importing"));
});
