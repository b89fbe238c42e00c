import { FileUp } from "lucide-react";
import { Thumbnail } from "./thumbnail.tsx";

export function WithoutPicture() {
  return (
    <>
      <Thumbnail uploadId={null} />
      <Thumbnail uploadId={null}>
        <FileUp aria-hidden="true" />
      </Thumbnail>
    </>
  );
}
