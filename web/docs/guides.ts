import { KEY_HEADER, quote } from "./shell.ts";
import type { DocsTexts } from "./texts/en.ts";

export type GuideName = keyof DocsTexts["guides"];

/** The guides, in the order of the navigation. Their names are the slugs of their pages. */
export const GUIDE_NAMES = ["curl", "client", "receive-webhooks"] as const satisfies readonly GuideName[];

/** The commands of each guide, by step. The steps of the texts have the same names. */
export type GuideCommands = { readonly [Name in GuideName]: { readonly [Step in keyof DocsTexts["guides"][Name]["steps"]]: string } };

/** Checks the signature and the age of a delivery, in JavaScript for Node. `docs/webhooks.md` has the same lines. */
const VERIFY = `const sha256 = (text) => createHash("sha256").update(text).digest();
const signed = \`\${headers["service-webhook-id"]}.\${headers["service-webhook-timestamp"]}.\${rawBody}\`;
const expected = \`v1,\${createHmac("sha256", secret).update(signed).digest("hex")}\`;
const isFresh = Math.abs(Date.now() / 1000 - headers["service-webhook-timestamp"]) <= 300;
const isAuthentic = timingSafeEqual(sha256(expected), sha256(headers["service-webhook-signature"]));`;

/** Returns the commands of all guides for a server with these URLs. */
export function guideCommands({ siteUrl, apiUrl }: { readonly siteUrl: string; readonly apiUrl: string }): GuideCommands {
  const site = quote(`${siteUrl}/`);
  const webhooks = quote(`${apiUrl}/webhooks`);
  return {
    curl: {
      send: `curl -T report.pdf ${site}`,
      limits: `curl -T report.pdf ${quote(`${siteUrl}/?ttl=1h&once=true`)}`,
      code: `curl -T report.pdf -H 'Accept: application/json' ${quote(`${siteUrl}/?protect=true`)}`,
      password: `curl -T report.pdf -H 'X-Password: correct horse battery' ${site}`,
      several: `curl -F file=@report.pdf -F file=@notes.txt ${site}`,
      pipe: `tar c photos | curl -T - ${quote(`${siteUrl}/photos.tar`)}`,
      account: `curl -T report.pdf ${KEY_HEADER} ${site}`,
      download: `curl -fLOJ ${quote(`${siteUrl}/d/SHORTID/download`)}`,
    },
    client: {
      server: `export FILEHOST_SERVER=${quote(siteUrl)}`,
      signIn: `filehost login ${quote(siteUrl)}`,
      send: "filehost up report.pdf --expires 2d --protect",
      folder: "filehost up photos --title 'Trip to Rome'",
      encrypt: "filehost up plan.pdf --encrypt",
      download: `filehost down ${quote(`${siteUrl}/d/SHORTID`)}`,
      list: "filehost ls",
    },
    "receive-webhooks": {
      subscribe: `curl ${webhooks} \\
  ${KEY_HEADER} \\
  -H 'Content-Type: application/json' \\
  -d '{"url":"https://receiver.example.org/events","events":["file.ready"]}'`,
      verify: VERIFY,
      try: `curl -X POST ${webhooks}/"$WEBHOOK"/test ${KEY_HEADER}`,
      log: `curl ${webhooks}/"$WEBHOOK"/deliveries ${KEY_HEADER}`,
    },
  };
}
