import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { longSkipped } from "../../support/long.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { askShare, assertRefused, authorize, call, clientOf, getShare, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { type HeldRequest, sendHeld } from "../support/api/raw-http.ts";
import { type ServerInstances, startServerInstances } from "../support/servers/server-instances.ts";
import { sha256 } from "../support/uploads/multipart.ts";

const SITE = "http://files.test";

/** administration, "Access" and "The audit log", and scanning, "The blocklist", on two servers with one database. */
for (const database of ["server", "file"] as const)
  describeUnless(longSkipped, `administrators on two server instances with one database, a ${database}`, () => {
    let servers: ServerInstances;
    let people = 0;
    before(async () => {
      servers = await startServerInstances({
        count: 2,
        database,
        env: { FILEHOST_SCANNER: "off", FILEHOST_MIN_FREE: "0", FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }) },
      });
    });
    after(() => servers[Symbol.asyncDispose]());

    async function addAdministrator() {
      people += 1;
      const person = { email: `admin${people}@example.org`, password: "correct horse battery", name: "Ada" };
      const { data } = await clientOf(servers.instance(0)).call("signUp", person);
      const { id } = data.owner;
      await servers.withDatabase((db) => db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute());
      return { id, key: data.sessionToken };
    }

    /** Sends a request to the first instance, which knows its caller before `act` runs, and gets the last byte after it; resolves to the status. */
    async function sendAround(id: string, request: HeldRequest, act: () => Promise<unknown>): Promise<number> {
      await servers.withDatabase((db) => db.updateTable("sessions").set({ updated_at: 0 }).where("user_id", "=", id).execute());
      const { status } = await sendHeld(
        servers.instance(0),
        { ...request, headers: { Host: "files.test", ...request.headers } },
        async () => {
          await until("the caller is known", () =>
            servers.withDatabase((db) =>
              db.selectFrom("sessions").select("id").where("user_id", "=", id).where("updated_at", ">", 0).executeTakeFirst(),
            ),
          );
          await act();
        },
      );
      return status;
    }

    const inJson = (key: string, method: string, path: string, input: object, headers = {}): HeldRequest => ({
      method,
      path: `/api/admin/${path}`,
      body: JSON.stringify(input),
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    });
    const asForm = (key: string, path: string, fields: Record<string, string>): HeldRequest => ({
      method: "POST",
      path: `/admin/${path}`,
      body: new URLSearchParams(fields).toString(),
      headers: {
        Cookie: `session=${key}`,
        "Content-Type": "application/x-www-form-urlencoded",
        Origin: SITE,
        "Sec-Fetch-Site": "same-origin",
        Accept: "text/html",
      },
    });
    /** What an administrator could change. */
    const state = () =>
      servers.withDatabase(async (db) => ({
        roles: await db.selectFrom("users").select(["id", "role", "disabled_at"]).orderBy("id").execute(),
        invites: await db.selectFrom("invites").select("id").execute(),
        settings: await db.selectFrom("run_time_settings").selectAll().execute(),
        blocked: await db.selectFrom("blocked_digests").select("sha256").execute(),
      }));

    test("change nothing by actions begun on one after they lose the role or are disabled on the other", async () => {
      const keeper = await addAdministrator();
      const digest = "a".repeat(64);
      const cases: readonly ((id: string, key: string) => HeldRequest)[] = [
        (id, key) => inJson(key, "PATCH", `users/${id}`, { role: "admin", isDisabled: false }),
        (_, key) => inJson(key, "POST", "invites", { role: "admin" }),
        (_, key) => inJson(key, "POST", "invites", { role: "admin" }, { "Idempotency-Key": crypto.randomUUID() }),
        (_, key) => inJson(key, "PATCH", "settings", { settings: { signup: "closed" } }),
        (_, key) => inJson(key, "POST", "blocklist", { digests: [digest] }),
        (_, key) => asForm(key, "invites", { action: "create", admin: "true" }),
      ];
      for (const [index, toRequest] of cases.entries()) {
        const { id, key } = await addAdministrator();
        const change = index % 2 === 0 ? { role: "user" as const } : { isDisabled: true };
        let after: unknown;
        const status = await sendAround(id, toRequest(id, key), async () => {
          await clientOf(servers.instance(1), keeper).call("changeUser", { id, ...change });
          after = await state();
        });
        assert.equal(status, 403, `${index}`);
        assert.deepEqual(await state(), after, `${index}`);
      }
      const { id, key } = await addAdministrator();
      assert.equal(await sendAround(id, inJson(key, "POST", "invites", { role: "user" }), async () => undefined), 200);
    });

    test("find the actions of both in one log", async () => {
      const { id, key } = await addAdministrator();
      const made = await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          const { data } = await clientOf(servers.instance(index), { key }).call("createInvite", { role: "user" });
          return data.id;
        }),
      );
      for (const server of servers.all) {
        const listed: string[] = [];
        for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
          const page = await clientOf(server, { key }).call("listAuditLog", { actor: id, action: "invite", limit: 4, cursor });
          listed.push(...page.data.map(({ subjectId }) => subjectId));
          cursor = page.nextCursor ?? undefined;
        }
        assert.deepEqual(listed.sort(), made.toSorted());
      }
      const { stdout } = await servers.instance(1).run(["audit-log", "--actor", id, "--json"]);
      assert.equal(stdout.match(/invite\.created/g)?.length, 6);
    });

    test("leave one administrator when they remove each other's role at the same time", async () => {
      for (let round = 0; round < 3; round += 1) {
        const two = [await addAdministrator(), await addAdministrator()] as const;
        await servers.withDatabase((db) =>
          db
            .updateTable("users")
            .set({ role: "user" })
            .where(
              "id",
              "not in",
              two.map(({ id }) => id),
            )
            .execute(),
        );
        const change = round === 0 ? { isDisabled: true } : { role: "user" };
        const responses = await Promise.all(
          two.map(({ key }, index) =>
            call(servers.instance(index), "PATCH", `/api/admin/users/${two[1 - index]?.id}`, { key, json: change }),
          ),
        );
        const statuses = responses.map(({ status }) => status).sort();
        assert.equal(statuses[0], 200);
        assert.ok([401, 403, 409].includes(statuses[1] ?? 0), `${statuses}`);
        const { roles } = await state();
        assert.equal(roles.filter(({ role, disabled_at }) => role === "admin" && disabled_at === null).length, 1);
      }
    });

    test("block a digest on one, and the other refuses its bytes, old and new, until it is removed", async () => {
      const admin = clientOf(servers.instance(0), await addAdministrator());
      const text = `text ${crypto.randomUUID()}`;
      const send = () => upload(servers.instance(1), { bytes: text });
      const untilIs = (status: string, { shortId }: Upload) =>
        until(`it is ${status}`, async () => (await getShare(servers.instance(1), shortId)).scanStatus === status);
      const old = await send();
      const url = servers.at(1, await signedUrl(servers.instance(1), old.id));
      assert.equal((await fetch(url)).status, 200);
      await admin.call("blockDigests", { digests: [sha256(text)] });
      const added = await send();
      for (const file of [old, added]) {
        await untilIs("unavailable", file);
        assertRefused(await authorize(servers.instance(1), file.id), { status: 404, code: "SCAN_BLOCKED" });
      }
      assert.equal((await fetch(url)).status, 404, "a signed URL of before");
      await admin.call("unblockDigest", { sha256: sha256(text) });
      await untilIs("clean", await send());
    });

    test("resolve a report once, at the same time on both", async () => {
      const { key } = await addAdministrator();
      const { shortId } = await upload(servers.instance(0), { bytes: "x" });
      await clientOf(servers.instance(0)).call("createReport", { shortId, reason: "malware" });
      const [report] = (await clientOf(servers.instance(1), { key }).call("listReports", {})).data;
      const decide = (index: number) =>
        call(servers.instance(index), "POST", `/api/admin/reports/${report?.id}/${index % 2 === 0 ? "takedown" : "dismiss"}`, {
          key,
          json: {},
        });
      const responses = await Promise.all([0, 1, 2, 3].map(decide));
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409, 409]);
      const isTakenDown = responses.findIndex(({ status }) => status === 200) % 2 === 0;
      for (const server of servers.all) assert.equal((await askShare(server, shortId)).status, isTakenDown ? 404 : 200);
    });
  });
