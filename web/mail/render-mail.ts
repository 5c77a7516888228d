import type { Mail } from "../../src/contract/mail.ts";
import { formatSize } from "../../src/lib/text/format-size.ts";
import { noticeSentence, noticeText, noticeTitle, type ToldNotice } from "../notices/notice-text.ts";
import { formatDate, formatDollars, type Reader, visibleText } from "../site/format.ts";
import { catalogue } from "../texts/catalogue.ts";
import { LANGUAGES, type Language } from "../texts/languages.ts";
import { type MailContent, type MailFrame, type MailParts, renderMailParts, withoutLinks } from "./mail-parts.tsx";
import type { MailTexts } from "./texts/en.ts";

/** Renders a mail in a language of the pages, or in the default one. */
export function renderMail(mail: Mail, language: string | null, site: MailFrame["site"]): MailParts {
  const known = LANGUAGES.find((one) => one === language) ?? LANGUAGES[0];
  const content = toContent(mail, { texts: catalogue[known].mail, language: known, siteName: site.name });
  return { ...renderMailParts({ language: known, site }, content), ...(mail.kind === "share" && { replyTo: mail.sender }) };
}

/** The server does not know the time zone of a person who reads a mail. */
const toReader = (language: Language): Reader => ({ language, timeZone: "UTC" });

function toContent(mail: Mail, { texts, language, siteName }: { texts: MailTexts; language: Language; siteName: string }): MailContent {
  switch (mail.kind) {
    case "test":
      return { subject: texts.test.subject(siteName), paragraphs: [texts.test.text] };
    case "invite":
    case "verify":
    case "email":
    case "reset": {
      const { subject, text, link, note } = texts[mail.kind === "verify" && mail.isVerified ? "prove" : mail.kind];
      return {
        subject: subject(siteName),
        paragraphs: [text(siteName)],
        link: { text: link, url: mail.link },
        notes: [note(formatDate(Date.parse(mail.until), toReader(language)))],
      };
    }
    case "addressTaken": {
      const { subject, text, link, note } = texts.addressTaken;
      return { subject: subject(siteName), paragraphs: [text(siteName)], link: { text: link, url: mail.link }, notes: [note] };
    }
    case "addressChanged": {
      const { subject, text, link, note } = texts.addressChanged;
      return {
        subject: subject(siteName),
        paragraphs: [text(siteName)],
        link: { text: link(siteName), url: mail.link },
        notes: [note(formatDate(Date.parse(mail.at), toReader(language)))],
      };
    }
    case "bought": {
      const { subject, text, link, until, forever } = texts.bought;
      const title = visibleText(mail.title);
      return {
        subject: subject(siteName),
        paragraphs: [text(title, formatDollars(mail.amountCents, language))],
        link: { text: link, url: mail.link },
        notes: [mail.availableUntil === null ? forever : until(formatDate(Date.parse(mail.availableUntil), toReader(language)))],
      };
    }
    case "security":
      return {
        subject: texts.security.subject(siteName),
        paragraphs: [texts.security.changes[mail.change]],
        link: { text: texts.security.link, url: mail.link },
        notes: [
          ...toPasskeyNotes(mail, language),
          ...toProviderNotes(mail, texts),
          ...toApplicationNotes(mail, language),
          texts.security.note(formatDate(Date.parse(mail.at), toReader(language))),
        ],
      };
    case "share":
      return toShareContent(mail, texts.share, language);
    case "notices":
      return toNoticesContent(mail, { texts, language, siteName });
  }
}

function toPasskeyNotes({ passkeys = [] }: Mailed<"security">, language: Language): string[] {
  const { mail, passkeys: texts } = catalogue[language];
  return passkeys.length === 0 ? [] : [mail.security.passkeys(passkeys.map((name) => visibleText(name || texts.unnamed)).join(", "))];
}

const toProviderNotes = ({ providers = [] }: Mailed<"security">, { security }: MailTexts): string[] =>
  providers.length === 0 ? [] : [security.providers(providers.map(visibleText).join(", "))];

function toApplicationNotes({ application }: Mailed<"security">, language: Language): string[] {
  const { mail, oauth } = catalogue[language];
  if (application === undefined) return [];
  const name = visibleText(application.name || oauth.unnamed);
  return [mail.security.application(application.host === null ? name : `${name} (${application.host})`)];
}

type Mailed<Kind extends Mail["kind"]> = Extract<Mail, { readonly kind: Kind }>;

/** Recipients may not know the sender, who wrote the title and the message. So no part of either becomes a link. */
function toShareContent(
  { sender, senderName, title, firstName = null, files, sizeBytes, message, link, expiresAt, block, isReminder }: Mailed<"share">,
  texts: MailTexts["share"],
  language: Language,
): MailContent {
  const named = title === null && firstName !== null ? texts.first(visibleText(firstName), files - 1) : texts.files(files);
  const what = title === null ? named : texts.titled(visibleText(title));
  const from = senderName == null ? sender : visibleText(senderName);
  const { subject, lead } = isReminder ? texts.reminder : texts;
  const until = expiresAt === null ? [] : [texts.until(formatDate(Date.parse(expiresAt), toReader(language)))];
  return {
    subject: subject(from, what),
    paragraphs: [
      lead(senderName == null ? sender : withoutLinks(from), withoutLinks(what)),
      `${texts.files(files)}, ${formatSize(sizeBytes, language)}`,
    ],
    quote: message === null ? undefined : { lead: texts.message, text: message },
    link: { text: texts.link, url: link },
    notes: [...until, texts.tracked(sender), texts.unknown],
    unsubscribe: { text: texts.block, url: block },
  };
}

function toNoticesContent(
  { notices, more, link, settings, unsubscribe }: Mailed<"notices">,
  { texts, language, siteName }: { texts: MailTexts; language: Language; siteName: string },
): MailContent {
  const words = catalogue[language];
  const reader = toReader(language);
  const items = notices.map((notice) => ({
    title: noticeTitle(words, notice),
    text: toMailedText(noticeText(words, notice, reader), notice),
    url: notice.url,
  }));
  const [first] = notices;
  const others = notices.length - 1 + more;
  const show = (name: string, kind: "sender" | "title"): string => (kind === "title" ? texts.notices.titled(name) : withoutLinks(name));
  const sentence = first ? noticeSentence(words, first, { reader, show }).join("") : "";
  return {
    subject: others > 0 ? texts.notices.andOthers(sentence, others) : sentence,
    paragraphs: [texts.notices.text(siteName)],
    items,
    link: { text: texts.notices.link, url: link },
    notes: [...(more > 0 ? [texts.notices.more(more)] : []), `${texts.notices.settings}: ${settings}`],
    unsubscribe: { text: texts.notices.unsubscribe, url: unsubscribe },
  };
}

/** Returns the text of a notice without links in the names of senders, which strangers chose. */
const toMailedText = (text: string, { kind }: Pick<ToldNotice, "kind">): string => (kind === "arrived" ? withoutLinks(text) : text);
