/** Makes all current and future links of photos enlarge their photo. The dialog is loaded at the first click. */
export function enlargePhotos(): void {
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>("a[data-enlarge]") : null;
    if (!link) return;
    event.preventDefault();
    void import("./page-photo.ts").then(({ showPagePhoto }) => showPagePhoto(link));
  });
}
