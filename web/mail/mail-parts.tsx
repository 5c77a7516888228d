/** @jsxImportSource preact */
import { renderToString } from "preact-render-to-string";
import type { Language } from "../texts/languages.ts";

/** The content of a mail. All texts may have been written by strangers. */
export interface MailContent {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** A text of several lines that the sender wrote, below the paragraphs. No part of it becomes a link. */
  readonly quote?: { readonly lead: string; readonly text: string } | undefined;
  /** A list between the paragraphs and the link. */
  readonly items?: readonly MailItem[];
  readonly link?: { readonly text: string; readonly url: string };
  /** Notes below the link, in smaller text. */
  readonly notes?: readonly string[];
  /** The link that unsubscribes from these mails. */
  readonly unsubscribe?: { readonly text: string; readonly url: string };
}

export interface MailItem {
  readonly title: string;
  readonly text?: string;
  readonly url: string | undefined;
}

export interface MailFrame {
  readonly language: Language;
  readonly site: { readonly name: string; readonly url: string };
}

export interface MailParts {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Characters that end a line or change the direction of the following text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;
const MAX_SUBJECT = 150;

/** Joins a text to one line. No name can break it. */
const oneLine = (text: string): string => text.replace(CONTROLS, " ").trim();

/** Inserts invisible characters, so that mail programs make no link of any part of a text. */
export const withoutLinks = (text: string): string => text.replace(/[.:@/](?=\S)/g, "$&\u2060");

const toLines = (text: string): string[] =>
  text
    .trim()
    .split(/\r\n?|\n/)
    .map((line) => withoutLinks(oneLine(line)));

/** Renders the plain and the HTML part of a mail. */
export function renderMailParts(frame: MailFrame, content: MailContent): MailParts {
  const subject = oneLine(content.subject);
  return {
    subject: subject.length > MAX_SUBJECT ? `${subject.slice(0, MAX_SUBJECT - 1)}…` : subject,
    text: toText(frame, content),
    ...(content.unsubscribe && { headers: oneClick(content.unsubscribe.url) }),
    html: `<!doctype html>${renderToString(<Html frame={frame} content={content} />)}`,
  };
}

/** Returns headers with which mail programs unsubscribe with one click (RFC 8058). */
const oneClick = (url: string) => ({ "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" });

function toText({ site }: MailFrame, { paragraphs, quote, items = [], link, notes = [], unsubscribe }: MailContent): string {
  const list = items.map(({ title, text, url }) =>
    [`* ${oneLine(title)}`, text && `  ${oneLine(text)}`, url && `  ${url}`].filter(Boolean).join("\n"),
  );
  const blocks = [
    ...paragraphs.map(oneLine),
    ...(quote
      ? [
          quote.lead,
          toLines(quote.text)
            .map((line) => `> ${line}`)
            .join("\n"),
        ]
      : []),
    ...list,
    ...(link ? [`${link.text}:\n${link.url}`] : []),
    ...notes.map(oneLine),
    `-- \n${site.name}\n${site.url}`,
    ...(unsubscribe ? [`${unsubscribe.text}:\n${unsubscribe.url}`] : []),
  ];
  return `${blocks.join("\n\n")}\n`;
}

const INK = "#1c2321";
const QUIET = "#5b6562";
const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";

/** Renders the HTML part. Its styles are on the elements, because mail programs ignore style sheets. */
function Html({ frame: { language, site }, content }: { readonly frame: MailFrame; readonly content: MailContent }) {
  const { subject, paragraphs, quote, items = [], link, notes = [], unsubscribe } = content;
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{oneLine(subject)}</title>
      </head>
      <body style={`margin:0;padding:24px 16px;background:#f5f4f0;color:${INK};${FONT};font-size:16px;line-height:1.5`}>
        <div style="max-width:34rem;margin:0 auto;padding:24px;background:#ffffff;border-radius:16px">
          <p style="margin:0 0 16px;font-weight:600">{site.name}</p>
          {paragraphs.map((paragraph, index) => (
            <p key={paragraph} style={index === 0 ? "margin:0 0 16px;font-size:20px;line-height:1.35" : "margin:0 0 16px"}>
              {oneLine(paragraph)}
            </p>
          ))}
          {quote === undefined ? null : (
            <>
              <p style={`margin:0 0 4px;color:${QUIET};font-size:15px`}>{quote.lead}</p>
              <blockquote style="margin:0 0 16px;padding:4px 0 4px 12px;border-left:3px solid #d5d2c8;overflow-wrap:anywhere">
                {toLines(quote.text).map((line, index) => (
                  <>
                    {index === 0 ? null : <br />}
                    {line}
                  </>
                ))}
              </blockquote>
            </>
          )}
          {items.map((item) => (
            <p key={item.url} style="margin:0 0 12px;overflow-wrap:anywhere">
              {item.url === undefined ? (
                <strong>{oneLine(item.title)}</strong>
              ) : (
                <a href={item.url} style={`color:${INK};font-weight:600`}>
                  {oneLine(item.title)}
                </a>
              )}
              {item.text === undefined ? null : (
                <>
                  <br />
                  <span style={`color:${QUIET}`}>{oneLine(item.text)}</span>
                </>
              )}
            </p>
          ))}
          {link === undefined ? null : (
            <p style="margin:24px 0">
              <a
                href={link.url}
                style="display:inline-block;padding:12px 20px;border-radius:12px;background:#0b6b5d;color:#ffffff;font-weight:600;text-decoration:none"
              >
                {link.text}
              </a>
            </p>
          )}
          {notes.map((note) => (
            <p key={note} style={`margin:0 0 12px;color:${QUIET};font-size:15px`}>
              {oneLine(note)}
            </p>
          ))}
        </div>
        <p style={`max-width:34rem;margin:16px auto 0;color:${QUIET};font-size:13px`}>
          <a href={site.url} style={`color:${QUIET}`}>
            {site.url}
          </a>
          {unsubscribe === undefined ? null : (
            <>
              {" · "}
              <a href={unsubscribe.url} style={`color:${QUIET}`}>
                {unsubscribe.text}
              </a>
            </>
          )}
        </p>
      </body>
    </html>
  );
}
