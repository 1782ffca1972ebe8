const a = 1;
/* no end /* nested */
fn f() {}
