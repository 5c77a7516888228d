import assert from "node:assert/strict";
import { once } from "node:events";
import { glob, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { openPurchaseRecords } from "../../../src/client/records/purchase-records.ts";
import { startTerminal } from "../../support/machine/terminal.ts";
import { startOrigin } from "../../support/services/origin-server.ts";
import type { TestStripe } from "../../support/services/stripe.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { type ClientDevice, makeDevice, siteOf } from "../support/client/client-device.ts";
import { addSeller, priced, type SellingServer, startSellingServer, type TestSeller } from "../support/shares/selling.ts";

const PAYER = { email: "buyer@example.org" };

describe("filehost buy", () => {
  let stripe: TestStripe;
  let server: SellingServer;
  let seller: TestSeller;
  let device: ClientDevice;
  before(async () => {
    server = await startSellingServer({ env: { FILEHOST_SELLING_FEE: "5%+30" } });
    ({ stripe } = server);
    seller = await addSeller(server, stripe);
  });
  beforeEach(async () => {
    device = await makeDevice();
  });
  afterEach(() => device[Symbol.asyncDispose]());
  after(() => server?.[Symbol.asyncDispose]());

  const linkOf = (shortId: string): string => `${siteOf(server)}/d/${shortId}`;
  const sessionOf = (checkoutUrl: string): string => checkoutUrl.split("/").at(-1)?.split(/[?#]/)[0] ?? "";
  const countCheckouts = (): number =>
    stripe.requests.filter(({ method, path }) => method === "POST" && path === "/v1/checkout/sessions").length;
  const memory = () => openPurchaseRecords(device.env);

  async function run(args: readonly string[], expected = 0, options = {}): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const { code, stdout, stderr } = await device.run(args, options);
    assert.equal(code, expected, `${args.join(" ")}: ${stdout}${stderr}`);
    return { stdout, stderr };
  }

  /** Starts to buy; resolves when the client waits for the payment. `ended` is its exit code. */
  async function startBuying(link: string) {
    const child = device.start(["buy", link]);
    let [stdout, stderr] = ["", ""];
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    const ended = once(child, "close").then(([code]) => code as number | null);
    // The two streams may arrive in any order.
    await until("it waits", () => stderr.includes("Waiting for the payment.") && stdout.endsWith("\n"));
    return { checkoutUrl: stdout.trim(), stderr: () => stderr, ended };
  }

  /** client buy, "Buying". */
  test("prints the address of the payment, waits for it, and the download uses it", async () => {
    const file = await priced(server, seller, { name: "song.flac", bytes: "music" }, 499);
    const link = linkOf(file.shortId);
    const refused = await run(["down", link], 3);
    assert.match(refused.stderr, new RegExp(`It costs \\$4\\.99\\. Buy it with: filehost buy ${link}\n$`));
    const buying = await startBuying(link);
    assert.match(buying.stderr(), /^Pay \$4\.99 at 127\.0\.0\.1:\d+ within half an hour\. What you buy can be downloaded until \d{4}-/);
    assert.equal(buying.checkoutUrl, (await memory().list())[0]?.checkoutUrl);
    stripe.checkouts.pay(sessionOf(buying.checkoutUrl), PAYER);
    assert.equal(await buying.ended, 0);
    assert.ok(buying.stderr().endsWith(`Paid $4.99.\nDownload it: filehost down ${link}\n`), buying.stderr());
    for (const [index, args] of [[link], [file.shortId, "--url", siteOf(server)], [file.id, "--url", `${siteOf(server)}/api`]].entries()) {
      await run(["down", ...args, "-o", `saved ${index}`]);
      assert.equal(await readFile(join(device.path, `saved ${index}`), "utf8"), "music");
    }
    const listed = await run(["ls", "--purchases"]);
    assert.match(listed.stdout, /\$4\.99 +bought +\d{4}-.* song\.flac\n/);
    const [bought] = await memory().list();
    const json = await run(["ls", "--purchases", "--json"]);
    for (const secret of [bought?.sessionId, bought?.purchaseToken]) assert.ok(secret && !json.stdout.includes(secret));
    const folder = join(device.path, "state/filehost/purchases");
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name);
  });

  /** client buy, "The same command again". */
  test("continues an open checkout, also for several commands, and reports an earlier purchase", async () => {
    const file = await priced(server, seller, { name: "a.txt", bytes: "a" }, 100);
    const link = linkOf(file.shortId);
    const before = countCheckouts();
    const [one, two] = await Promise.all([run(["buy", link, "--no-wait"]), run(["buy", file.id, "--no-wait", "--url", siteOf(server)])]);
    assert.equal(one.stdout, two.stdout);
    assert.match((await run(["buy", link, "--no-wait"])).stderr, /This checkout is open already\./);
    assert.equal(countCheckouts(), before + 1);
    stripe.checkouts.pay(sessionOf(one.stdout.trim()), PAYER);
    // The payment was not waited for: the download claims it.
    assert.equal((await run(["down", link, "-o", "-"])).stdout, "a");
    const again = await run(["buy", link]);
    assert.deepEqual([again.stdout, countCheckouts()], ["", before + 1]);
    assert.match(again.stderr, /bought it already\. To buy it once more: --again/);
    const more = await run(["buy", link, "--again", "--no-wait"]);
    assert.equal(countCheckouts(), before + 2);
    // What is not paid yet is continued first, so that nobody pays three times.
    assert.equal((await run(["buy", link, "--again", "--no-wait"])).stdout, more.stdout);
    assert.equal(countCheckouts(), before + 2);
  });

  /** client buy, "Output of buy". */
  test("prints lines of JSON", async () => {
    const file = await priced(server, seller, { name: "json.txt", bytes: "j" }, 250);
    const child = device.start(["buy", linkOf(file.shortId), "--json"]);
    let stdout = "";
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
    });
    const closed = once(child, "close");
    await until("it has opened the checkout", () => stdout.endsWith("}\n"));
    const checkout = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    assert.deepEqual(
      [checkout.type, checkout.priceCents, checkout.currency, checkout.shortId, checkout.continued],
      ["checkout", 250, "usd", file.shortId, false],
    );
    stripe.checkouts.pay(sessionOf(String(checkout.checkoutUrl)), PAYER);
    assert.equal((await closed)[0], 0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    assert.deepEqual(
      lines.map(({ type }) => type),
      ["checkout", "done"],
    );
    assert.deepEqual([lines[1]?.bought, lines[1]?.url], [true, linkOf(file.shortId)]);
    assert.ok(!stdout.includes("pu_"));
  });

  /** client buy, "Buying". */
  test("asks for the code of a protected share on a terminal, and explains on Ctrl-C how to continue", async () => {
    const file = await priced(server, seller, { name: "secret.txt", bytes: "secret", fields: { protect: "true" } }, 300);
    const link = linkOf(file.shortId);
    assert.match((await run(["buy", link], 3)).stderr, /protected/);
    await using terminal = startTerminal(["buy", link], { cwd: device.path, env: device.env });
    await terminal.waitFor("Unlock code: ");
    terminal.type(`${file.unlockCode}\r`);
    await terminal.waitFor("Pay $3.00 at ");
    await terminal.waitFor("Waiting for the payment. Ctrl-C ends this");
    terminal.press("ctrl-c");
    assert.equal(await terminal.ended(), 130);
    assert.match(terminal.screen().replace(/\s+/g, " "), /The same command continues: filehost buy /);
    const [open] = await memory().list();
    stripe.checkouts.pay(open?.sessionId ?? "", PAYER);
    await using second = startTerminal(["buy", link], { cwd: device.path, env: device.env });
    await second.waitFor("bought it already");
    assert.equal(await second.ended(), 0);
    // What was bought needs no code.
    assert.equal((await run(["down", link, "-o", "-"])).stdout, "secret");
    const handoff = `${file.handoffUrl}`;
    assert.match((await run(["buy", handoff, "--again", "--no-wait"])).stdout, /^http/);
  });

  /** client buy, "Downloading what was bought". */
  test("downloads a protected shipment without its code, and checks its digests", async () => {
    const first = await upload(server, { name: "one.txt", bytes: "one", fields: { openShare: "true", protect: "true" } }, seller);
    const { shortId, unlockCode = "" } = first;
    await upload(server, { name: "two.txt", bytes: "two", fields: { shareShortId: shortId } }, seller);
    await clientOf(server, seller).call("updateShareSettings", { shortId, priceCents: 100 });
    const link = linkOf(shortId);
    const { stdout } = await run(["buy", link, "--no-wait"], 0, { env: { FILEHOST_UNLOCK_CODE: unlockCode } });
    await run(["down", link], 3);
    stripe.checkouts.pay(sessionOf(stdout.trim()), PAYER);
    const { stderr } = await run(["down", link, "--folder", "bought"]);
    for (const name of ["one", "two"]) {
      const [path = ""] = await Array.fromAsync(glob(`**/${name}.txt`, { cwd: device.path }));
      assert.equal(await readFile(join(device.path, path), "utf8"), name, stderr);
    }
  });

  /** client buy, "The same command again". */
  test("keeps a purchase until its server says that it is no longer useful", async () => {
    const claimed = { status: 404, type: "text/html", body: "<h1>Not found</h1>" };
    const other = await startOrigin({
      "/api/agent/capabilities": (_, response) => {
        response.setHeader("Content-Type", "application/json").end(JSON.stringify({ service: "filehost", siteUrl: other.url }));
      },
      "/api/purchases/claim": (_, response) => {
        response.writeHead(claimed.status, { "Content-Type": claimed.type }).end(claimed.body);
      },
    });
    await memory().save({
      ...{ server: other.url, shortId: "7kXq9Zab", url: `${other.url}/d/7kXq9Zab`, name: "song.flac", fileIds: [], sessionId: "cs_1" },
      ...{ checkoutUrl: `${other.url}/pay`, priceCents: 100, createdAt: new Date().toISOString(), availableUntil: null },
    });
    const refused = {
      success: false,
      error: "This share is unknown or has expired. Ask the sender for a new link.",
      errorCode: "NOT_FOUND",
    };
    const buy = ["buy", `${other.url}/d/7kXq9Zab`, "--no-wait"];
    await run(buy, 4);
    Object.assign(claimed, { type: "application/json", body: JSON.stringify(refused) });
    await run(buy, 4);
    assert.equal((await memory().list()).length, 1);
    claimed.body = JSON.stringify({ ...refused, purchaseStatus: "gone" });
    await device.run(buy);
    assert.deepEqual(await memory().list(), []);
    await other[Symbol.asyncDispose]();
  });

  /** client buy, "The same command again". */
  test("opens another checkout when one has ended, and after a refund", async () => {
    const file = await priced(server, seller, { name: "ended.txt", bytes: "e" }, 400);
    const link = linkOf(file.shortId);
    const buying = await startBuying(link);
    stripe.checkouts.expire(sessionOf(buying.checkoutUrl));
    assert.equal(await buying.ended, 3);
    assert.match(buying.stderr(), /This checkout has ended without a payment\. Open a new one\.\n$/);
    const next = (await run(["buy", link, "--no-wait"])).stdout;
    assert.notEqual(next.trim(), buying.checkoutUrl);
    stripe.checkouts.pay(sessionOf(next.trim()), PAYER);
    assert.equal((await run(["down", link, "-o", "-"])).stdout, "e");
    const intent = stripe.events("payment_intent.succeeded").at(-1)?.data.object as { readonly id: string };
    stripe.refund(intent.id);
    await until("the refund ends the token", async () => (await device.run(["down", link, "-o", "-"])).code === 3);
    assert.notEqual((await run(["buy", link, "--no-wait"])).stdout, next);
  });

  /** client buy, "Downloading what was bought". */
  test("sends a purchase only to its own server", async () => {
    const file = await priced(server, seller, { name: "own.txt", bytes: "o" }, 100);
    const { stdout } = await run(["buy", linkOf(file.shortId), "--no-wait"]);
    stripe.checkouts.pay(sessionOf(stdout.trim()), PAYER);
    await run(["buy", linkOf(file.shortId)]);
    const asked: string[] = [];
    const seen = (request: { readonly url?: string | undefined; readonly headers: object }): number =>
      asked.push(`${request.url} ${JSON.stringify(request.headers)}`);
    const other = await startOrigin({
      "/api/agent/capabilities": (request, response) => {
        seen(request);
        response.setHeader("Content-Type", "application/json").end(JSON.stringify({ service: "filehost", siteUrl: other.url }));
      },
      [`/api/files/download/${file.id}`]: (request, response) => {
        seen(request);
        const body = { success: false, error: "Pay", errorCode: "PAYMENT_REQUIRED", priceCents: 100 };
        response.writeHead(402, { "Content-Type": "application/json" }).end(JSON.stringify(body));
      },
    });
    await run(["down", file.id, "--url", other.url], 3);
    assert.ok(asked.some((one) => one.includes("/download/")));
    assert.doesNotMatch(asked.join("\n"), /pu_|purchaseToken/);
    await other[Symbol.asyncDispose]();
  });

  /** client buy, "Downloading what was bought". */
  test("accepts a token from elsewhere", async () => {
    const file = await priced(server, seller, { name: "else.txt", bytes: "x" }, 100);
    const client = clientOf(server);
    const { sessionId } = (await client.call("createCheckout", { shortId: file.shortId })).data;
    stripe.checkouts.pay(sessionId, PAYER);
    const { purchaseToken } = (await client.call("claimPurchase", { sessionId })).data;
    const down = ["down", linkOf(file.shortId), "-o", "-"];
    assert.equal((await run([...down, "--purchase", purchaseToken])).stdout, "x");
    assert.equal((await run([...down, "--purchase", "-"], 0, { input: `${purchaseToken}\n` })).stdout, "x");
    assert.equal((await run(down, 0, { env: { FILEHOST_PURCHASE_TOKEN: purchaseToken } })).stdout, "x");
    assert.match((await run([...down, "--purchase", "pu_wrong"], 3)).stderr, /does not count any more.*It costs \$1\.00\./);
    await run([...down, "--purchase", "-", "--code", "-"], 2, { input: purchaseToken });
    // A token in the environment does not keep the code of another share from being used.
    const other = await upload(server, { name: "code.txt", bytes: "c", fields: { protect: "true" } });
    const env = { FILEHOST_PURCHASE_TOKEN: purchaseToken, FILEHOST_UNLOCK_CODE: other.unlockCode ?? "" };
    assert.equal((await run(["down", linkOf(other.shortId), "-o", "-"], 0, { env })).stdout, "c");
  });

  /** client buy, "Buying". */
  test("opens the payment platform's page with --open, after printing its address", async () => {
    const file = await priced(server, seller, { name: "open.txt", bytes: "o" }, 100);
    const opened = join(device.path, "opened");
    await writeFile(join(device.path, "browser"), `#!/bin/sh\nprintf '%s\\n' "$@" >> "${opened}"\n`, { mode: 0o700 });
    const env = { BROWSER: join(device.path, "browser") };
    const { stdout, stderr } = await run(["buy", linkOf(file.shortId), "--no-wait", "--open"], 0, { env });
    assert.equal(await readFile(opened, "utf8"), stdout);
    assert.match(stderr, /^Pay \$1\.00 at 127\.0\.0\.1:\d+ [\s\S]*Opened the page at 127\.0\.0\.1:\d+ in the browser\./);
  });

  /** client buy, "Selling". */
  test("helps a seller with setup, price, and buyers who would lose their purchase", async () => {
    const person = await addAccount(server);
    const env = { FILEHOST_SERVER: server.url, FILEHOST_KEY: person.key };
    const sell = (args: readonly string[], expected = 0) => run(args, expected, { env });
    const file = await upload(server, { name: "book.pdf", bytes: "book" }, { key: person.key });
    const price = ["share", file.shortId, "--price", "4.99"];
    assert.match((await sell(["sell", "status"])).stdout, /^can sell +no\nreason .*\n[\s\S]*fee of a sale +5% and \$0\.30\n$/);
    assert.match((await sell(price, 6)).stderr, /\S/);
    await sell(["sell", "dashboard"], 6);
    const { stdout, stderr } = await sell(["sell", "setup", "--country", "DE"]);
    assert.match(stderr, /^This page is at 127\.0\.0\.1:\d+\.\n$/);
    await (await fetch(stdout.trim())).text();
    await fetch(stdout.trim(), { method: "POST", body: new URLSearchParams(), redirect: "manual" });
    assert.match((await sell(["sell", "status"])).stdout, /^can sell +yes\n/);
    assert.match((await sell(["sell", "dashboard"])).stdout, /^http\S+\n$/);
    await sell(price);
    assert.match((await sell(["info", file.shortId])).stdout, /^price +\$4\.99$/m);
    assert.match((await sell(["buy", file.shortId], 3)).stderr, /your own share/);
    const { stdout: checkoutUrl } = await run(["buy", linkOf(file.shortId), "--no-wait"]);
    stripe.checkouts.pay(sessionOf(checkoutUrl.trim()), PAYER);
    await run(["buy", linkOf(file.shortId)]);
    assert.match((await sell(["info", file.shortId])).stdout, /^sales +1$/m);
    const sold = await sell(["sell", "sales", file.shortId]);
    const [, saleId = ""] = /^(\S+) .* \$4\.99 +\$4\.45 +paid +\S+ +book\.pdf$/m.exec(sold.stdout) ?? assert.fail(sold.stdout);
    assert.equal((await sell(["sell", "sales", "0000000"])).stdout, "No sales found.\n");
    assert.match((await sell(["share", file.shortId, "--max-downloads", "5"], 6)).stderr, /1 buyer/);
    await sell(["share", file.shortId, "--max-downloads", "5", "--force"]);
    assert.equal((await sell(["sell", "refund", saleId])).stdout, `${saleId}\n`);
    await until("the sale is refunded", async () => (await sell(["sell", "sales"])).stdout.includes("refunded"));
    assert.match((await sell(["info", file.shortId])).stdout, /^sales +0$/m);
    assert.match((await sell(["share", file.shortId])).stdout, /^price +\$4\.99$/m);
    await sell(["share", file.shortId, "--price", "0"]);
    assert.doesNotMatch((await sell(["info", file.shortId])).stdout, /^price/m);
  });
});
