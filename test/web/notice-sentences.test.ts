import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { noticeSentence, type ToldNotice } from "../../web/notices/notice-text.ts";
import { catalogue } from "../../web/texts/catalogue.ts";

const NOTICE: ToldNotice = { kind: "downloaded", title: "Trip", count: 1, at: "2030-05-04T10:00:00.000Z", others: 0, encrypted: false };
const NOTICES: readonly ToldNotice[] = [
  NOTICE,
  { ...NOTICE, count: 2 },
  { ...NOTICE, kind: "expiring" },
  { ...NOTICE, kind: "arrived", count: 2 },
  { ...NOTICE, kind: "arrived", count: 2, senders: ["Luca Rossi"] },
];

/** notices, "The list". */
describe("the sentence of a notice", () => {
  for (const [language, expected] of [
    [
      "en",
      [
        "<Trip> was downloaded",
        "<Trip> was downloaded 2 times",
        "<Trip> expires on …",
        "2 files arrived in <Trip>",
        "[Luca Rossi] sent 2 files to <Trip>",
      ],
    ],
    [
      "de",
      [
        "<Trip> wurde heruntergeladen",
        "<Trip> wurde 2 Mal heruntergeladen",
        "<Trip> läuft am … ab",
        "2 Dateien angekommen: <Trip>",
        "2 Dateien von [Luca Rossi] für <Trip>",
      ],
    ],
    [
      "fr",
      [
        "<Trip> téléchargé",
        "<Trip> téléchargé 2 fois",
        "<Trip> expire le …",
        "Reçu pour <Trip> : 2 fichiers",
        "2 fichiers de [Luca Rossi] pour <Trip>",
      ],
    ],
  ] as const)
    test(`says what happened, to which share or request, and who sent files, in ${language}`, () => {
      const show = (name: string, kind: string) => (kind === "title" ? `<${name}>` : `[${name}]`);
      const sentences = NOTICES.map((notice) =>
        noticeSentence(catalogue[language], notice, { reader: { language, timeZone: "UTC" }, show })
          .join("")
          .replaceAll("\u00a0", " ")
          .replaceAll("\u202f", " ")
          .replace(/(expires on|läuft am|expire le) .*?( ab)?$/, "$1 …$2"),
      );
      assert.deepEqual(sentences, expected);
    });
});
