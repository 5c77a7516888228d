import type { Output } from "../../src/service/contract.ts";
import { NOTICE_SENDERS } from "../../src/service/notices/contract.ts";
import { toFilesName } from "../shares/share-row.ts";
import { counted, formatDate, type Reader, visibleText } from "../site/format.ts";
import type { Texts } from "../texts/catalogue.ts";

type Notice = Output<"listNotices">["notices"][number];

export interface ToldNotice {
  readonly kind: Notice["kind"];
  readonly title: string;
  readonly count: number;
  /** ISO 8601. */
  readonly at: string | null;
  readonly others?: number;
  /** Whether a file of the share is encrypted; null if that is not known any more. */
  readonly encrypted?: boolean | null;
  readonly senders?: readonly (string | null)[];
}

type NoticeTexts = Pick<Texts, "notices" | "shares">;

/** Returns the text of a notice without its subject: `Downloaded 3 times`, `Luca Rossi sent 3 files`. */
export function noticeText({ notices: texts }: NoticeTexts, notice: ToldNotice, reader: Reader): string {
  const { kind, count, at } = notice;
  const { language } = reader;
  if (kind === "downloaded") return texts.downloaded(timesOf(texts, count, language));
  if (kind === "expiring") return texts.expiring(toDate(at, reader));
  const files = counted(count, language, texts.file, texts.files);
  const sender = senderOf(texts, notice);
  return sender === undefined ? texts.arrived(files) : texts.sent(sender, files);
}

/** Returns how often something happened: `3 times`. Nothing says that it happened once. */
const timesOf = ({ once, times }: NoticeTexts["notices"], count: number, language: Reader["language"]): string | undefined =>
  count === 1 ? undefined : counted(count, language, once, times);

/** What stands for the names in a sentence until they are rendered. */
const MARKS = { sender: "\ue000", title: "\ue001" } as const;

/** Returns the parts of the sentence of a notice: `[sender, " sent 3 files to ", title]`. `show` renders the names in it. */
export function noticeSentence<Part>(
  texts: NoticeTexts,
  notice: ToldNotice,
  { reader, show }: { readonly reader: Reader; show(name: string, kind: keyof typeof MARKS): Part },
): readonly (Part | string)[] {
  const sender = senderOf(texts.notices, notice) ?? "";
  return toSentence(texts.notices, notice, { reader, hasSender: sender !== "" })
    .split(/([\ue000\ue001])/)
    .map((part) =>
      part === MARKS.sender ? show(sender, "sender") : part === MARKS.title ? show(noticeTitle(texts, notice), "title") : part,
    );
}

function toSentence(
  texts: NoticeTexts["notices"],
  { kind, count, at }: ToldNotice,
  { reader, hasSender }: { readonly reader: Reader; readonly hasSender: boolean },
): string {
  const { sentences } = texts;
  const { language } = reader;
  if (kind === "downloaded") return sentences.downloaded(MARKS.title, timesOf(texts, count, language));
  if (kind === "expiring") return sentences.expiring(MARKS.title, toDate(at, reader));
  const files = counted(count, language, texts.file, texts.files);
  return hasSender ? sentences.sent(MARKS.sender, files, MARKS.title) : sentences.arrived(files, MARKS.title);
}

/** Returns the title of what a notice is about, as in the list of shares. */
export const noticeTitle = (
  texts: Pick<Texts, "shares">,
  { title, others = 0, encrypted }: Pick<ToldNotice, "title" | "others" | "encrypted">,
): string =>
  // Of a share without files, only the name says whether it was encrypted.
  toFilesName({ name: title, files: others + 1, encrypted: encrypted !== false }, texts.shares);

const toDate = (at: string | null, reader: Reader): string => (at === null ? "" : formatDate(Date.parse(at), reader));

/** Names who sent files: the last one with a name, and the number of others if it is known; undefined if nobody gave a name. */
function senderOf(texts: NoticeTexts["notices"], { senders = [], count }: Pick<ToldNotice, "senders" | "count">): string | undefined {
  const [name] = senders.flatMap((name) => (name === null ? [] : [visibleText(name).trim()])).filter((name) => name !== "");
  if (name === undefined) return undefined;
  if (senders.length === 1) return name;
  const areAll = count <= NOTICE_SENDERS.files && senders.length < NOTICE_SENDERS.names;
  return areAll ? texts.andOthers(name, senders.length - 1) : texts.andMore(name);
}
