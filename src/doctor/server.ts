import { type Check, ok, type Subject, warn } from "./finding.ts";
import { toCallable } from "./hosts.ts";
import { reasonOf } from "./reasons.ts";

const ANSWER_MS = 5_000;

/** Whether a server runs here now, and whether its public address leads to one. */
export const server: Check = {
  what: "server",
  limitMs: 15_000,
  async *look({ config: { listen, siteUrl } }: Subject) {
    const here = `http://${toCallable(listen.hostname)}:${listen.port}`;
    const answer = listen.port === 0 ? "none" : await ask(here);
    if (answer === "alive") yield ok("server", `runs at ${here}`);
    else if (answer === "none") yield ok("server", listen.port === 0 ? "listens on any free port" : `none runs at ${here} now`);
    else
      yield warn(
        "server",
        `what listens at ${here} is not filehost, or not well: ${answer}`,
        "Stop that program, or choose another port with FILEHOST_LISTEN.",
      );
    if (siteUrl === undefined || answer !== "alive") return;
    const outside = await ask(siteUrl);
    if (outside === "alive") yield ok("public address", `${siteUrl} leads to filehost`);
    else
      yield warn(
        "public address",
        `${siteUrl} does not lead to filehost from here: ${outside === "none" ? "nothing listens there" : outside}`,
        "See that its name points to this machine, that the proxy runs and passes requests on to it, and that the firewall lets 443 through.\n" +
          "Where it works from other machines, your network does not let this one call itself: then all is well.",
      );
  },
};

/** `alive`, `none` where nothing listens, or what is wrong. */
async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: "manual" });
    const text = await response.text();
    return response.status === 200 && text.includes('"status"') ? "alive" : `it answers ${response.status}`;
  } catch (error) {
    const reason = reasonOf(error);
    return reason.startsWith("nothing listens") ? "none" : reason;
  }
}
