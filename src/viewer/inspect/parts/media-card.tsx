import { size } from "../../../core/text/when.ts";
import { Icon } from "../../ui/icon.tsx";
import { firstLine, visibleText } from "../../ui/visible.ts";
import { FoundText } from "../find/found-text.tsx";
import type { Media } from "../payload/part.ts";

/** An image, a sound, a file: what it was, never itself. Nothing is loaded. */
export function MediaCard({ media, title }: { media: Media; title: string | undefined }) {
  const { what, type, sizeBytes, sha256, uri } = media;
  const name = title ?? uri;
  return (
    <div class="media">
      <span class="media-sign" aria-hidden="true">
        <Icon name={what.startsWith("link") ? "link" : "download"} />
      </span>
      <div class="media-facts">
        <div class="media-name">
          {what}
          {name !== null && (
            <>
              {" "}
              <FoundText text={name} class="mono" />
            </>
          )}
        </div>
        <div class="soft recorded">
          {visibleText([type, sizeBytes === null ? null : size(sizeBytes)].filter((one) => one !== null).join(", "))}
          {sha256 !== null && (
            <>
              {" · sha256 "}
              <code title={firstLine(sha256, 64)}>{firstLine(sha256, 16)}</code>
            </>
          )}
        </div>
        <div class="soft">
          {sha256 === null ? "Told by reference; nothing is loaded." : "The bytes were not kept; nothing is loaded."}
        </div>
      </div>
    </div>
  );
}
