import { layout as texts } from "#texts/site";
import { getMain } from "./main-element.ts";

/** Shows that the address of the site differs from the address of this page (pages, "Another name"). */
export function showOtherName(): void {
  const { site = "", defaultSite } = document.body.dataset;
  const url = URL.parse(site);
  if (!url || url.origin === location.origin) return;
  // Without a configured URL, links work on the server's own machine, under all of its names.
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
  if (defaultSite !== undefined && isLocal) return;
  const link = Object.assign(document.createElement("a"), {
    href: url.origin + location.pathname + location.search + location.hash,
    textContent: site,
  });
  const banner = Object.assign(document.createElement("p"), { className: "banner", role: "status" });
  banner.append(defaultSite === undefined ? texts.otherName : texts.noUrl, " ", link);
  getMain()?.before(banner);
}
