import { describeSignIn, formatSignIn } from "../client/sign-in.ts";
import { defineCommand } from "../command.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";

export const whoami = defineCommand({
  options: CLIENT_OPTIONS,
  settings: [],
  examples: ["filehost whoami", "filehost whoami --profile work --json"],
  async run({ options, terminal }) {
    const client = await openClient({ command: "whoami", options, terminal });
    if (!client.hasKey) {
      const { siteUrl } = await client.api.discoverServer();
      return {
        data: { ...NOT_SIGNED_IN, server: client.url, siteUrl },
        text: `Not signed in to ${client.url}\n`,
        notes: [`To sign in, run: filehost login ${client.url}`],
      };
    }
    const [me, { siteUrl }] = await Promise.all([client.api.call("getMe", {}), client.api.discoverServer()]);
    const described = describeSignIn(client.url, me);
    const { profile = null, source } = client;
    return {
      data: { ...NOT_SIGNED_IN, ...described, siteUrl, profile, signIn: source },
      text: formatSignIn(described, SOURCES[source](profile)),
    };
  },
});

/** What `--json` shows of nobody, so that the shape is the same with and without an account. */
const NOT_SIGNED_IN = { account: null, tier: null, proUntil: null, scope: null, storage: null, profile: null, signIn: "none" };

/** Descriptions of the ways to sign in. */
const SOURCES = {
  none: () => "no",
  key: () => "with an API key of the command line or the environment",
  "profile key": (profile: string | null) => `with an API key (profile ${profile})`,
  oauth: (profile: string | null) => `with your account, by a browser (profile ${profile})`,
} as const;
