export { ProportionBar, type ProportionBarProps } from "./proportion-bar";
export { type Point, type Series, totalsOf } from "./series";
export { StackedBars, type StackedBarsProps } from "./stacked-bars";
