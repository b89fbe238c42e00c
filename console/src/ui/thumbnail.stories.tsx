import { FileVideo } from "lucide-react";
import { Thumbnail } from "./thumbnail.tsx";

export function WithoutPicture() {
  return (
    <>
      <Thumbnail uploadId={null} />
      <Thumbnail uploadId={null}>
        <FileVideo aria-hidden="true" />
      </Thumbnail>
    </>
  );
}
