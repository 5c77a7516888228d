import { formatDollars } from "../../lib/text/format-dollars.ts";
import { contract, type Output } from "../../service/contract.ts";
import { openPaymentPage } from "../client/payment-page.ts";
import { defineCommand, type Result, type Terminal } from "../command.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";
import { fromContract } from "../options/from-contract.ts";
import { readPages, toLimit } from "../read-pages.ts";
import { formatFacts, formatTable, formatTime, toId, toPlain } from "../terminal/text.ts";

const onboarding = fromContract(contract.onboardSeller.input.shape, ["country"]);

const OPEN_OPTION = { kind: "flag", help: "Open the page in your browser" } as const;

export const sellStatus = defineCommand({
  options: CLIENT_OPTIONS,
  settings: [],
  examples: ["filehost sell status"],
  async run({ options, terminal }) {
    const { api } = await openClient({ command: "sell status", options, terminal });
    const { data } = await api.call("getSellerStatus", {});
    return { data, text: formatStatus(data) };
  },
});

export const sellSetup = defineCommand({
  details:
    "The payment platform asks for the details it needs to pay you. The address works for minutes; run the command again for a new one.",
  options: { ...onboarding.options, open: OPEN_OPTION, ...CLIENT_OPTIONS },
  settings: [],
  examples: ["filehost sell setup --country DE", "filehost sell setup --open"],
  async run({ options, terminal }) {
    const input = onboarding.read("sell setup", options);
    const { api } = await openClient({ command: "sell setup", options, terminal });
    const { data } = await api.call("onboardSeller", input);
    return await toPage(data, data.onboardUrl, options.open, terminal);
  },
});

export const sellDashboard = defineCommand({
  details: "It shows sales, payouts and refunds. The address works for minutes and opens your dashboard without a password.",
  options: { open: OPEN_OPTION, ...CLIENT_OPTIONS },
  settings: [],
  examples: ["filehost sell dashboard --open"],
  async run({ options, terminal }) {
    const { api } = await openClient({ command: "sell dashboard", options, terminal });
    const { data } = await api.call("openSellerDashboard", {});
    return await toPage(data, data.loginUrl, options.open, terminal);
  },
});

const STATES = { paid: "paid", refunded: "refunded", disputed: "disputed" } as const;

export const sellSales = defineCommand({
  args: { ID: { optional: true, help: "Only the sales of this share: its short ID or link" } },
  options: { limit: { kind: "text", value: "N", default: "100", help: "Maximum number of sales to list" }, ...CLIENT_OPTIONS },
  settings: [],
  examples: ["filehost sell sales", "filehost sell sales 7kXq9Zab"],
  async run({ args: { ID }, options, terminal }) {
    const shortId = ID === undefined ? {} : { shortId: toId(ID) };
    const { api } = await openClient({ command: "sell sales", options, terminal, links: ID === undefined ? [] : [ID] });
    const sales = await readPages(toLimit(options.limit), (page) => api.call("listSales", { ...shortId, ...page }));
    const rows = sales.map(({ id, shortId, title, paidAt, state, priceCents, sellerCents }) => [
      id,
      formatTime(paidAt),
      formatDollars(priceCents),
      formatDollars(sellerCents),
      STATES[state],
      shortId,
      title ?? "-",
    ]);
    return { data: sales, text: formatTable(["ID", "PAID", "PRICE", "FOR YOU", "STATE", "SHARE", "NAME"], rows, "No sales found.") };
  },
});

export const sellRefund = defineCommand({
  args: { ID: { help: "The sale's ID" } },
  options: { yes: { kind: "flag", help: "Do not ask" }, ...CLIENT_OPTIONS },
  settings: [],
  examples: ["filehost sell refund 0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"],
  async run({ args: { ID: id }, options, terminal }) {
    const { api } = await openClient({ command: "sell refund", options, terminal });
    if (!options.yes && terminal.canAsk && !(await terminal.confirm("Refund the whole price? The buyer can no longer download.")))
      return { data: { id: null }, text: "", notes: ["Nothing was refunded."], exitCode: 6 };
    const refunded = await api.call("refundSale", { id });
    return { data: refunded, text: `${toPlain(refunded.id)}\n` };
  },
});

type Status = Output<"getSellerStatus">["data"];

function formatStatus({ readyToSell, detailsSubmitted, payoutsEnabled, reason, fee }: Status): string {
  return formatFacts([
    ["can sell", readyToSell ? "yes" : "no"],
    ["reason", reason],
    ["details sent", detailsSubmitted ? "yes" : "no"],
    ["payouts", payoutsEnabled ? "on" : "off"],
    ["fee of a sale", fee.percent === 0 && fee.fixedCents === 0 ? "none" : `${fee.percent}% and ${formatDollars(fee.fixedCents)}`],
  ]);
}

/** Prints the address on standard output, and names its host, because it is a page of the payment platform. */
async function toPage(data: Status, address: string, isOpened: boolean, terminal: Terminal): Promise<Result> {
  const { href, host } = new URL(address);
  const opened = isOpened ? [await openPaymentPage(href, terminal)] : [];
  return { data, text: `${toPlain(href)}\n`, notes: [`This page is at ${toPlain(host)}.`, ...opened] };
}
