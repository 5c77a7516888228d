/** @jsxImportSource preact */

import type { PageContext } from "../../site/page-context.ts";
import { type SettingSearch, searchPath } from "./find-settings.ts";
import { SettingSource } from "./setting-field.tsx";
import { LOGO_FIELD, type SettingProblem, type SiteSettingView } from "./site-setting.ts";

export interface LogoPanelProps {
  readonly page: PageContext;
  readonly revision: number;
  readonly search: SettingSearch;
  readonly setting: SiteSettingView;
  readonly problems?: ReadonlyMap<string, SettingProblem> | undefined;
}

/** Renders the logo as pages of both schemes show it, and the form that replaces it. */
export function LogoPanel({ page, revision, search, setting, problems }: LogoPanelProps) {
  const { logo: texts, light, dark } = page.texts.siteSettings;
  const { logoPath, name } = page.site;
  const problem = problems?.get(setting.name);
  const about = `about-${setting.name}`;
  return (
    <div class="logo-panel">
      <div class="logo-current">
        {logoPath === undefined ? null : (
          <div class="logo-samples">
            {[light, dark].map((title) => (
              <figure key={title}>
                <p class={title === light ? "logo-sample" : "logo-sample dark"}>
                  <img class="logo" src={logoPath} alt="" />
                  <span class="sample-name">{name}</span>
                </p>
                <figcaption class="quiet">{title}</figcaption>
              </figure>
            ))}
          </div>
        )}
        <SettingSource page={page} setting={setting} />
      </div>
      {setting.fixedBy === null ? (
        <form class="form" method="post" action={searchPath(search)} enctype="multipart/form-data">
          <input type="hidden" name="revision" value={revision} />
          <div>
            <label class="field" htmlFor="logo-file">
              <span>{texts.choose}</span>
              <span class="quiet" id={about}>
                {texts.hint}
              </span>
              <input
                id="logo-file"
                type="file"
                name={LOGO_FIELD}
                accept=".svg,.png,.webp"
                autofocus={problem !== undefined}
                aria-invalid={problem === undefined ? undefined : "true"}
                aria-describedby={problem === undefined ? about : `${about} problem-${setting.name}`}
              />
            </label>
            {problem === undefined ? null : <SettingSource page={page} setting={setting} problem={problem} />}
          </div>
          <div class="setting-buttons">
            <button class="button" type="submit">
              {texts.upload}
            </button>
          </div>
        </form>
      ) : null}
    </div>
  );
}
