import { testTenTasks } from "./fixtures/ten-tasks.ts";

testTenTasks("mouse", { width: 390, height: 844 });
