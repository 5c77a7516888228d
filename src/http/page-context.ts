import type { PageContext } from "../../web/page-context.ts";
import { catalogue } from "../../web/texts/catalogue.ts";
import { LANGUAGES, type Language } from "../../web/texts/languages.ts";
import type { HttpContext } from "./env.ts";

/** What the pages of a request are rendered with: the texts of the first of its languages that the site has (pages, "Languages"). */
export function pageContext(c: HttpContext): PageContext {
  const language = findLanguage(c.req.header("accept-language") ?? "");
  return { language, texts: catalogue[language], site: c.env.site };
}

/** The language of the highest quality in an `Accept-Language` header; the first of LANGUAGES if it names none. */
export function findLanguage(accepted: string): Language {
  const wanted = accepted
    .split(",")
    .map((item) => item.trim().split(/\s*;\s*q\s*=\s*/i))
    .map(([tag = "", quality = "1"]) => ({ tag: tag.toLowerCase().split("-")[0], quality: Number(quality) }))
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  const known = wanted.map(({ tag }) => LANGUAGES.find((language) => language === tag));
  return known.find((language) => language !== undefined) ?? LANGUAGES[0];
}
