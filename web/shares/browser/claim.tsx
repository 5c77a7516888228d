/** @jsxImportSource preact */
/** The offer to claim shares of this device, above the list. Loaded only on a device that may know some. */
import { render } from "preact";
import { ClaimOffer } from "../../sending/browser/claim/claim-offer.tsx";

export function showClaimOffer(onClaimed: () => void): void {
  const place = document.getElementById("claim");
  if (place) render(<ClaimOffer onClaimed={onClaimed} />, place);
}
