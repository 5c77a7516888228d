import assert from "node:assert/strict";
import { test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { FIXED_RATE_NAMES, RUN_TIME_NAMES, type RunTimeName, type RunTimeSetting } from "../../src/config/run-time.ts";
import { describeSettings } from "../../src/service/settings/describe-settings.ts";
import { findSettings } from "../../web/admin/settings/find-settings.ts";
import type { FixedSettingView, SiteSettingView } from "../../web/admin/settings/site-setting.ts";
import { SETTING_POSITIONS, type SettingPosition } from "../../web/admin/settings/site-setting-positions.ts";
import { toPageSettings } from "../../web/admin/settings/site-setting-rows.ts";
import { renderSiteSettingsPage } from "../../web/admin/settings/site-settings-page.tsx";
import { catalogue } from "../../web/texts/catalogue.ts";
import { LANGUAGES } from "../../web/texts/languages.ts";
import { ENGLISH } from "./pages.ts";

const toText = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll("&#39;", "'");

for (const language of LANGUAGES)
  test(`the page has a field and texts for every setting in RUN_TIME_SETTINGS, in ${language}`, () => {
    const view = describeSettings(loadConfig({}), [], new Map());
    const texts = catalogue[language];
    const html = renderSiteSettingsPage(
      { ...ENGLISH, language, texts },
      { ...toPageSettings(view), search: { text: "", isChangedOnly: false } },
    );
    const fields = [...html.matchAll(/ name="set\.([^"]+)"/g)].map(([, name]) => name ?? "");
    assert.deepEqual(
      RUN_TIME_NAMES.filter((name) => !fields.includes(name)),
      ["logo"],
    );
    assert.match(html, /<input id="logo-file" type="file" name="logo"/);
    const words = toText(html);
    for (const name of RUN_TIME_NAMES) {
      const { text, group } = SETTING_POSITIONS[name];
      const { name: label, effect } = texts.siteSettings.settings[text];
      assert.ok(words.includes(label) && words.includes(effect), name);
      if (group !== "logo") assert.ok(words.includes(texts.siteSettings.groups[group].title), group);
    }
    for (const name of FIXED_RATE_NAMES) assert.ok(words.includes(texts.siteSettings.fixed.rates[name]), name);
  });

test("a setting without a position, and a setting, a choice or a rate without texts, are type errors", () => {
  const position = { group: "branding", text: "name" } as const;
  // @ts-expect-error Other settings have no position.
  const positions: Record<RunTimeName, SettingPosition> = { name: position };
  // @ts-expect-error No language has texts of `motto`.
  const untitled: SettingPosition = { ...position, text: "motto" };
  // @ts-expect-error A limit has a tier: its column on the page.
  const columnless: SettingPosition = { ...position, group: "limits" };
  // @ts-expect-error No language has a text of the choice.
  const choices: SiteSettingView["choices"] = ["sometimes"];
  // @ts-expect-error No language has a text of the rate.
  const rate: FixedSettingView["rate"] = "mottos";
  // @ts-expect-error A choice has values.
  const empty: RunTimeSetting = { setting: "NAME", kind: "choice" };
  assert.ok([positions, untitled, columnless, choices, rate, empty]);
});

test("a search finds settings by each of its words, limits with their whole row, and only changed ones if asked", () => {
  const view = describeSettings(loadConfig({ FILEHOST_RATE_LIMITS: "off" }), [], new Map([["tiers.free.files", "50"]]));
  const find = (text: string, isChangedOnly = false) => {
    const { panels, fixed } = findSettings(ENGLISH, toPageSettings(view), { text, isChangedOnly });
    return [...panels.flatMap(({ settings }) => settings), ...fixed].map(({ name }) => name);
  };
  const files = ["tiers.anonymous.files", "tiers.free.files", "tiers.pro.files"];
  assert.deepEqual(find(" number FILES of limits "), files);
  assert.deepEqual(find("", true), [...files, "rate_limits"]);
  assert.deepEqual(find("rates.signins"), ["rates.signIns"]);
  assert.deepEqual(find("files", true), files);
  assert.deepEqual(find("number nobody"), []);
  assert.equal(find("").length, view.settings.length + view.fixed.length);
});
