import { testTenTasks } from "./fixtures/ten-tasks.ts";

testTenTasks("mouse", { width: 1440, height: 900 });
