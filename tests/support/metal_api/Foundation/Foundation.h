// Declarations of the part of Apple's Foundation that the Metal back end uses, written from Apple's public
// documentation: for a compiler that checks it where there is no Apple system. Nothing here can be linked.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TARGET_OS_OSX 1

typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef bool BOOL;
#define nil nullptr
#define YES true
#define NO false

typedef struct {
  NSUInteger location;
  NSUInteger length;
} NSRange;
static inline NSRange NSMakeRange(NSUInteger location, NSUInteger length) { return {location, length}; }

typedef enum : NSUInteger { NSUTF8StringEncoding = 4 } NSStringEncoding;

@protocol NSObject
@end

__attribute__((objc_root_class))
@interface NSObject<NSObject> {
  Class isa;
}
+ (instancetype)alloc;
- (instancetype)init;
@end

typedef struct {
  unsigned long state;
  __unsafe_unretained id* itemsPtr;
  unsigned long* mutationsPtr;
  unsigned long extra[5];
} NSFastEnumerationState;

@protocol NSFastEnumeration
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState*)state
                                  objects:(__unsafe_unretained id*)buffer
                                    count:(NSUInteger)count;
@end

@interface NSArray<ObjectType> : NSObject <NSFastEnumeration>
+ (instancetype)arrayWithObjects:(const ObjectType __unsafe_unretained*)objects count:(NSUInteger)count;
@end

@interface NSString : NSObject
@property(readonly) const char* UTF8String;
- (instancetype)initWithBytes:(const void*)bytes length:(NSUInteger)length encoding:(NSStringEncoding)encoding;
@end

@interface NSError : NSObject
@property(readonly) NSInteger code;
@property(readonly, copy) NSString* localizedDescription;
@end

@interface NSProcessInfo : NSObject
@property(class, readonly, strong) NSProcessInfo* processInfo;
@property(readonly, copy) NSString* operatingSystemVersionString;
@end
