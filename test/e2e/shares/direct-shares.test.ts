import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { until } from "../../support/until.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { findInfo, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";
const NAVIGATION = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none", "Sec-Fetch-User": "?1" };

/** User agents of command-line clients. */
const COMMAND_LINE = [
  "curl/8.7.1",
  "Wget/1.21.4",
  "Wget2/2.1.0",
  "aria2/1.37.0",
  "HTTPie/3.2.2",
  "xh/0.22.2",
  "lftp/4.9.2",
  "Axel/2.17.11 (Linux)",
  "fetch libfetch/2.0",
  "Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.22621.2506",
  "Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.22631; en-US) PowerShell/7.4.2",
];

/** User agents of link previews, office programs, search engines, unknown programs, and browsers without `Sec-Fetch-Mode`. */
const OTHERS = [
  "WhatsApp/2.23.20.0",
  "WhatsApp/2.24.10.76 A",
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
  "Viber/13.3.0.5 CFNetwork/1126 Darwin/19.5.0",
  "Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0.3729.169 Safari/537.36 Viber",
  "http.rb/5.1.1 (Mastodon/4.2.8; +https://mastodon.social/)",
  "Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.social/) Bot",
  "Signal-Android/7.5.2 Android/34",
  "Signal-Desktop/7.8.0",
  "Iframely/1.3.1 (+https://iframely.com/docs/about) Atlassian",
  "Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)",
  "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Teams/1.6.00.4472 Chrome/102.0.5005.167 Electron/19.1.8 Safari/537.36",
  "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)",
  "Mozilla/4.0 (compatible; ms-office; MSOffice 16)",
  "Microsoft Office Word 2014",
  "Outlook-Android/2.0",
  "Pinterest/0.2 (+http://www.pinterest.com/)",
  "Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)",
  "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/56.0.2924.87 Safari/537.36 Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/)",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "Slack-ImgProxy (+https://api.slack.com/robots)",
  "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
  "TelegramBot (like TwitterBot)",
  "Twitterbot/1.0",
  "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Synapse (bot; +https://github.com/matrix-org/synapse)",
  "redditbot/1.0",
  "LINE/14.8.0",
  "kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984",
  "Zoom.Win 10.0 x64",
  "Go-http-client/1.1",
  "python-requests/2.31.0",
  "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)",
  "okhttp/4.12.0",
  "Java/17.0.10",
  "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2)",
  "Mozilla/5.0",
  CHROME,
  "",
];

/** direct shares, "Direct shares", "Requests that start the download" and "Requests that get the page". */
describe("a direct share", () => {
  let server: ServerWith<"owner">;
  let file: Upload;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
    file = await upload(server, { bytes: "the bytes", fields: { direct: "true" } }, { key: server.owner.key });
  });
  after(() => server[Symbol.asyncDispose]());

  const open = (headers: Record<string, string>, method = "GET") =>
    fetch(server.url + file.sharePath, { method, redirect: "manual", headers });
  const countDownloads = async (): Promise<string | undefined> => (await findInfo(server, file.shortId))?.download;

  /** Opens the share with each set of headers: each must start and count a download, or show the page without counting. */
  async function assertOpens(requests: readonly Record<string, string>[], starts: boolean, method = "GET"): Promise<void> {
    const before = Number(await countDownloads());
    for (const headers of requests) {
      const { status, headers: received } = await open(headers, method);
      const what = JSON.stringify(headers);
      assert.equal(status, starts ? 302 : 200, what);
      if (starts) assert.match(received.get("location") ?? "", /\/dl\//, what);
      else assert.match(received.get("content-type") ?? "", /^text\/html/, what);
    }
    assert.equal(Number(await countDownloads()) - before, starts ? requests.length : 0);
  }

  test("starts the download for a browser that navigates and for a command-line client", async () => {
    await assertOpens([{ "User-Agent": CHROME, ...NAVIGATION }, ...COMMAND_LINE.map((name) => ({ "User-Agent": name }))], true);
  });

  test("shows the page to previews, bots, unknown programs and old browsers, and counts nothing", async () => {
    await assertOpens(
      OTHERS.map((name) => ({ "User-Agent": name })),
      false,
    );
    const page = await (await open({ "User-Agent": "WhatsApp/2.23.20.0" })).text();
    assert.match(page, /property="og:title" content="note\.txt"/);
    assert.match(page, /Download<span/);
  });

  test("shows the page for browser requests that are not a navigation of the window", async () => {
    const browser = { "User-Agent": CHROME, ...NAVIGATION };
    await assertOpens(
      [
        { ...browser, "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" },
        { ...browser, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image" },
        { ...browser, "Sec-Fetch-Dest": "iframe" },
        { ...browser, "Sec-Fetch-Dest": "embed" },
        { ...browser, "Sec-Purpose": "prefetch" },
        { ...browser, "Sec-Purpose": "prefetch;prerender" },
        { ...browser, Purpose: "prefetch" },
        { ...browser, Purpose: "preview" },
        { ...browser, "X-Purpose": "preview" },
        { ...browser, "X-Moz": "prefetch" },
        { ...NAVIGATION, "User-Agent": "Mozilla/5.0 Chrome/126.0.0.0 Safari/537.36 Google-PageRenderer" },
        { ...NAVIGATION, "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1) Chrome/126.0.0.0" },
        { "User-Agent": "curl/8.7.1", "Sec-Fetch-Mode": "cors" },
      ],
      false,
    );
  });

  test("counts nothing for HEAD from any client", async () => {
    await assertOpens(
      [{ "User-Agent": CHROME, ...NAVIGATION }, { "User-Agent": "curl/8.7.1" }, { "User-Agent": "Wget/1.21.4" }],
      false,
      "HEAD",
    );
  });

  test("starts a download in Chromium when opened", { skip: browserMissing }, async () => {
    await using browser = await launchBrowser();
    await using opened = await openPage(browser, { acceptDownloads: true });
    const { page } = opened;
    const before = Number(await countDownloads());
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      // goto rejects when the navigation becomes a download.
      page.goto(server.url + file.sharePath).catch(() => undefined),
    ]);
    assert.equal(download.suggestedFilename(), "note.txt");
    await until("the download is counted", async () => Number(await countDownloads()) === before + 1);
  });
});
