const a = 1;
import package::x::y;
