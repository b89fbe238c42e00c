import { ProductMark } from "./product-mark.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Spinner } from "./spinner.tsx";

export function Spinning() {
  return <Spinner />;
}

export function Placeholder() {
  return <Skeleton width="12rem" />;
}

export function Product() {
  return <ProductMark size={24} />;
}
