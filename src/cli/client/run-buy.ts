import { type BuyContext, type BuyRequest, openCheckout, waitForPayment } from "../../client/buy/buy.ts";
import { openPurchaseRecords, type Purchase } from "../../client/records/purchase-records.ts";
import { parseShareLink } from "../../client/server/server-address.ts";
import { formatDollars } from "../../lib/text/format-dollars.ts";
import type { Result, Terminal } from "../command.ts";
import type { CommandClient } from "../options/client-options.ts";
import { whileInterruptible } from "../terminal/interrupt.ts";
import type { JsonOutput } from "../terminal/json-output.ts";
import { showWhile } from "../terminal/progress.ts";
import { formatTime, toPlain } from "../terminal/text.ts";
import { createWaitLine } from "../terminal/wait-line.ts";
import { openPaymentPage } from "./payment-page.ts";
import { toUnlockWays } from "./unlock-access.ts";

interface BuyCommand extends BuyRequest {
  readonly client: CommandClient;
  /** The link or ID that the command was given. */
  readonly link: string;
  readonly code: string | undefined;
  readonly isOpened: boolean;
  readonly waitsForPayment: boolean;
  readonly terminal: Terminal;
  readonly json: JsonOutput | undefined;
}

/** Opens or continues a checkout, prints where to pay, and waits for the payment. */
export async function runBuy(command: BuyCommand): Promise<Result> {
  const { client, link, code, terminal, json } = command;
  const { api, namedBy, url, quiet } = client;
  const records = openPurchaseRecords(terminal.env);
  const say = async (line: string): Promise<void> => {
    if (!json && !quiet) await terminal.err(`${toPlain(line)}\n`);
  };
  let hasCheckout = false;
  const advice = (): string =>
    hasCheckout ? `Interrupted. The checkout stays open. The same command continues: filehost buy ${link}` : "Interrupted.";
  return await whileInterruptible(advice, async (signal) => {
    const onWait = createWaitLine(terminal, { isSilent: json !== undefined || quiet });
    const context: BuyContext = {
      access: { api, namedBy, signal, code, onWait, ...toUnlockWays(terminal) },
      url,
      records,
      nowMs: Date.now,
    };
    const opened = await openCheckout(command, context);
    if (opened.state === "bought") return toBought(opened.purchase, command, opened.isEarlier);
    const { purchase, isContinued } = opened;
    hasCheckout = true;
    await showCheckout(purchase, command, { isContinued, say });
    if (!command.waitsForPayment) return toOpen(purchase, link);
    if (!terminal.isInteractive || json || quiet) await say("Waiting for the payment.");
    const paid = await showWhile(quiet || json ? { ...terminal, isInteractive: false } : terminal, async (show) => {
      show(() => "Waiting for the payment. Ctrl-C ends this; run the same command to continue.");
      return await waitForPayment(purchase, context);
    });
    return toBought(paid, command, false);
  });
}

interface Showing {
  readonly isContinued: boolean;
  say(line: string): Promise<void>;
}

/** Prints the payment platform's address on standard output, and its explanation on standard error. */
async function showCheckout(
  { checkoutUrl, priceCents, availableUntil, url, shortId }: Purchase,
  { terminal, json, isOpened }: BuyCommand,
  { isContinued, say }: Showing,
): Promise<void> {
  const { host } = new URL(checkoutUrl);
  const offer = { checkoutUrl, host, shortId, url, priceCents, currency: "usd", availableUntil };
  await json?.line({ type: "checkout", ...offer, continued: isContinued });
  const until = availableUntil === null ? "" : ` What you buy can be downloaded until ${formatTime(availableUntil)}.`;
  await say(
    `${isContinued ? "This checkout is open already. " : ""}Pay ${formatDollars(priceCents)} at ${host} within half an hour.${until}`,
  );
  if (!json) await terminal.out(`${toPlain(checkoutUrl)}\n`);
  if (isOpened) await say(await openPaymentPage(checkoutUrl, terminal));
}

/** Returns the download command for a purchase. A link names the server and may have the key of encrypted files, which an ID lacks. */
const toFetch = (link: string, { url }: Purchase): string => `filehost down ${parseShareLink(link) === undefined ? url : link}`;

function toBought(purchase: Purchase, { link, isAgain }: BuyCommand, isEarlier: boolean): Result {
  const { shortId, url, priceCents, availableUntil } = purchase;
  const once = isAgain ? "" : " To buy it once more: --again";
  const said = isEarlier ? `This device has bought it already.${once}` : `Paid ${formatDollars(priceCents)}.`;
  return {
    data: { bought: true, earlier: isEarlier, shortId, url, priceCents, currency: "usd", availableUntil },
    text: "",
    notes: [said, `Download it: ${toFetch(link, purchase)}`],
  };
}

function toOpen(purchase: Purchase, link: string): Result {
  const { shortId, url, priceCents, availableUntil } = purchase;
  return {
    data: { bought: false, earlier: false, shortId, url, priceCents, currency: "usd", availableUntil },
    text: "",
    notes: [`When you have paid: ${toFetch(link, purchase)}`],
  };
}
